package io.sluice.consistency.membership;

/**
 * Demotes relays that request it (decision 6). Nodes repeat their requests with each heartbeat, so a new leader also
 * receives them. Used by the coordinator's thread.
 */
final class Demotions {
    private final NodeIds ids;
    private final Members nodes;
    private final EventSink sink;

    Demotions(Members nodes, EventSink sink) {
        this.ids = NodeIds.of(nodes.settings);
        this.nodes = nodes;
        this.sink = sink;
    }

    /** Runs one cycle: demotes the first relay that requests it, unless the job is ending. */
    void work() {
        if (nodes.state().isEnding()) {
            return;
        }
        for (int node = ids.servers(); node < nodes.size(); node++) {
            if (requests(nodes.get(node))
                    && nodes.state().mayBeDemoted(nodes.state().incarnation(node))) {
                sink.append(new Event.Demoted(nodes.state().incarnation(node)));
                return;
            }
        }
    }

    /**
     * Whether a relay requests it and has applied all events: an earlier request may be due to the trees before the
     * last demotion.
     */
    private boolean requests(NodeProxy relay) {
        return WorkerSetChanges.Wish.DEMOTION == relay.wish
                && relay.applied == nodes.state().number();
    }
}
