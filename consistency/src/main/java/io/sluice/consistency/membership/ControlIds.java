package io.sluice.consistency.membership;

/** Names of things on the control stream that must be known before a plan exists. */
final class ControlIds {
    /** Origin of the coordinator's messages; above every node id. */
    static final int COORDINATOR = 65_534;

    /** Aeron stream of control messages, on the coordinator's and on every node's endpoint. */
    static final int STREAM = 10;

    private ControlIds() {}
}
