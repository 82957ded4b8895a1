package io.sluice.consistency.membership;

/** Constants of the control stream that nodes need before a plan exists. */
final class ControlIds {
    /** Origin of the coordinator's messages; above every node id. */
    static final int COORDINATOR = 65_534;

    /** Aeron stream of control messages, on the coordinator's and on every node's endpoint. */
    static final int STREAM = 10;

    /** Length of the longest message on the control stream: it must be one Aeron message. */
    static final int LONGEST = 1 << 20;

    /** An id that no node has. */
    static final int NO_NODE = -1;

    /** Flag in the role of a join: the node has a secret and will prove it. */
    static final int HAS_SECRET = 0x80;

    private ControlIds() {}
}
