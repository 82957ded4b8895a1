package io.sluice.codecs;

/** Whether a stream's frames end in a {@link SealTrailer}. */
public enum SealRule {
    /** None does. */
    OPEN,

    /** All do; one that does not is refused. */
    SEALED,

    /**
     * Some do: those of a control stream, before it is known which nodes have the secret. Templates sent before keys
     * exist are never sealed.
     */
    EITHER
}
