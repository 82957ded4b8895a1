package io.sluice.codecs;

/** Whether a stream's frames end in a {@link SealTrailer}. */
public enum SealRule {
    /** None does. */
    OPEN,

    /** All do; one that does not is refused. */
    SEALED,

    /**
     * Some do: those of a control stream, before it is known who has a secret. What never is sealed, because it comes
     * before there is a key, is never taken for it.
     */
    EITHER
}
