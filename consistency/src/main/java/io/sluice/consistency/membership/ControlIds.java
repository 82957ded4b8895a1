package io.sluice.consistency.membership;

/** Names of things on the control stream that must be known before a plan exists. */
final class ControlIds {
    /** Origin of the coordinator's messages; above every node id. */
    static final int COORDINATOR = 65_534;

    /** Aeron stream of control messages, on the coordinator's and on every node's endpoint. */
    static final int STREAM = 10;

    /** No message on the control stream is longer: it must be one message of Aeron's. */
    static final int LONGEST = 1 << 20;

    /** No node's id. */
    static final int NO_NODE = -1;

    /** Flag in the role of a join: the node has a secret and will prove it. */
    static final int HAS_SECRET = 0x80;

    private ControlIds() {}
}
