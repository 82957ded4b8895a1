package io.sluice.consistency.terms;

/** The reasons why a node cannot be, or no longer is, part of the cluster. Error frames carry the ordinal. */
public enum Failure {
    /** The coordinator does not let the node in: wrong protocol version, index taken, cluster complete. */
    REFUSED,

    /** A node has been silent for longer than the liveness time, or its process has ended. */
    PEER_LOST,

    /** A node has left although others still need its pushes. */
    PEER_LEFT,

    /**
     * A node breaks the protocol: its round commit disagrees, its rounds are out of order, or it has declared a table
     * differently from other workers.
     */
    PROTOCOL_BREACH,

    /** A deadline has passed. */
    TIMEOUT,

    /** The node was closed or interrupted while the call was waiting. */
    CLOSED,

    /** A node ended with an error of its own. */
    PEER_FAILED,

    /** An update, a sum or a parameter is NaN or infinite. */
    NOT_FINITE;

    private static final Failure[] VALUES = values();

    /**
     * The failure for a code in a frame.
     *
     * @param code code in the frame
     * @return the failure; {@link #PEER_FAILED} for an unknown code
     */
    public static Failure coded(int code) {
        return code >= 0 && code < VALUES.length ? VALUES[code] : PEER_FAILED;
    }
}
