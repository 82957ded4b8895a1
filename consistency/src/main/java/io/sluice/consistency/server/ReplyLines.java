package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import java.util.Arrays;

/** The reply queues of all workers that pull from a server. Each slice of a table has a slot in every queue. */
final class ReplyLines implements Outgoing {
    private final Link[] links;
    private final ReplyLine[] lines;
    private final ParameterReplies[] writers;
    private int taken;
    private int first;

    /**
     * Creates empty queues.
     *
     * @param links         one for each worker
     * @param pacings       pacings of the links
     * @param slots         number of owned slices, plus a round commit for each table
     * @param tables        number of tables
     * @param sliceElements elements of the longest slice
     * @param longest       length of the longest frame, in bytes
     */
    ReplyLines(Link[] links, Pacing[] pacings, int slots, int tables, int sliceElements, int longest) {
        this.links = links;
        writers = new ParameterReplies[slots];
        lines = new ReplyLine[links.length];
        Arrays.setAll(
                lines,
                worker ->
                        new ReplyLine(worker, links[worker], pacings[worker], writers, tables, sliceElements, longest));
    }

    /** Opens a link to each worker. */
    static ReplyLines open(ClusterPlan plan, Peering peering, NodeBudget budget, int slots, int tables) {
        Link[] links = new Link[plan.settings().workers()];
        Arrays.setAll(links, worker -> peering.replyLinkTo(plan.workerNode(worker)));
        Pacing[] pacings =
                Arrays.stream(links).map(link -> peering.pace(link, budget)).toArray(Pacing[]::new);
        int sliceElements = plan.settings().sliceElements();
        return new ReplyLines(links, pacings, slots, tables, sliceElements, peering.longestFrame());
    }

    @Override
    public int work(long nowNs) {
        return work();
    }

    @Override
    public long bytes() {
        return Arrays.stream(links).mapToLong(Link::bytes).sum();
    }

    @Override
    public void forget(int worker) {
        lines[worker].giveUp();
    }

    /** Gives a table its slots; returns the first. */
    int register(ParameterReplies table, int slots) {
        int base = taken;
        taken += slots;
        Arrays.fill(writers, base, taken, table);
        return base;
    }

    int workers() {
        return lines.length;
    }

    ReplyLine line(int worker) {
        return lines[worker];
    }

    /** Starts after the worker that was served last, so that all workers share the node's budget. */
    int work() {
        int work = 0;
        int from = first;
        for (int i = 0; i < lines.length; i++) {
            int at = (from + i) % lines.length;
            int sent = lines[at].work();
            if (sent > 0) {
                first = (at + 1) % lines.length;
            }
            work += sent;
        }
        return work;
    }
}
