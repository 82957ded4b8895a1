package io.sluice.codecs;

/** Whether a stream's frames end in a {@link SealTrailer}. */
public enum SealRule {
    /** No frame is sealed. */
    OPEN,

    /** All frames are sealed; a frame without a seal is refused. */
    SEALED,

    /**
     * Some frames are sealed: those of a control stream, before it is known which nodes have the secret. Templates sent
     * before keys exist are never sealed.
     */
    EITHER
}
