package io.sluice.tree.planning;

import io.sluice.tree.topology.Switch;
import java.util.List;

/**
 * What a plan is predicted to take.
 *
 * <p>All hops stream at once, so the broadcast takes as long as its busiest link has to carry, and the way of one frame
 * to the site that gets it last: each relay has to have a frame before it passes it on, and sends it to its children
 * one after another.
 *
 * @param linkSeconds    that the busiest link is busy
 * @param link           which one that is, for people
 * @param fillSeconds    until the first frame has reached every site, beyond the sending of the server
 * @param maxUplinkBytes that the host that sends most has to send
 */
public record PlanEstimate(double linkSeconds, String link, double fillSeconds, long maxUplinkBytes) {
    /** Seconds until the last site has the last byte. */
    public double finishSeconds() {
        return linkSeconds + fillSeconds;
    }

    /**
     * Estimates a plan.
     *
     * @param job  that it is for
     * @param plan for it
     * @return what it takes
     */
    public static PlanEstimate of(BroadcastJob job, Forest plan) {
        Loads loads = new Loads(job);
        double fill = 0;
        for (RelayTree tree : plan.trees()) {
            loads.add(tree);
            fill = Math.max(fill, fill(job, tree));
        }
        return loads.busiest(fill);
    }

    private static double fill(BroadcastJob job, RelayTree tree) {
        double latency = job.topology().latency();
        double frame = Math.min(job.frameBytes(), tree.bytes());
        double[] there = new double[job.sites()];
        double last = 0;
        for (int place = 0; place < tree.size(); place++) {
            int site = tree.order(place);
            double turn = site == tree.root() ? 0 : frame / job.uplink(site);
            for (int i = 0; i < tree.degree(site); i++) {
                int child = tree.child(site, i);
                double narrow = Math.max(0, frame / job.downlink(child) - frame / job.uplink(site));
                there[child] = there[site] + (i + 1) * turn + narrow + latency;
                last = Math.max(last, there[child]);
            }
        }
        return last;
    }

    /** Bytes over each link. */
    private static final class Loads {
        private final BroadcastJob job;
        private final long[] up;
        private final long[] down;
        private final long[] edgeUp;
        private final long[] edgeDown;
        private final long[] aggregationUp;
        private final long[] aggregationDown;
        private double longest;
        private String where = "none";

        Loads(BroadcastJob job) {
            this.job = job;
            up = new long[job.sites()];
            down = new long[job.sites()];
            edgeUp = new long[job.topology().edges().size()];
            edgeDown = new long[edgeUp.length];
            aggregationUp = new long[job.topology().aggregations().size()];
            aggregationDown = new long[aggregationUp.length];
        }

        void add(RelayTree tree) {
            for (int place = 1; place < tree.size(); place++) {
                int to = tree.order(place);
                int from = tree.parent(to);
                up[from] += tree.bytes();
                down[to] += tree.bytes();
                if (job.edge(from) != job.edge(to)) {
                    edgeUp[job.edge(from)] += tree.bytes();
                    edgeDown[job.edge(to)] += tree.bytes();
                }
                if (job.aggregation(from) != job.aggregation(to)) {
                    aggregationUp[job.aggregation(from)] += tree.bytes();
                    aggregationDown[job.aggregation(to)] += tree.bytes();
                }
            }
        }

        PlanEstimate busiest(double fill) {
            long most = 0;
            for (int site = 0; site < up.length; site++) {
                most = Math.max(most, up[site]);
                consider("uplink of host ", job.name(site), up[site] / job.uplink(site));
                consider("downlink of host ", job.name(site), down[site] / job.downlink(site));
            }
            consider("edge ", job.topology().edges(), edgeUp, edgeDown);
            consider("aggregation ", job.topology().aggregations(), aggregationUp, aggregationDown);
            return new PlanEstimate(longest, where, fill, most);
        }

        private void consider(String kind, List<Switch> switches, long[] bytesUp, long[] bytesDown) {
            for (int i = 0; i < bytesUp.length; i++) {
                Switch device = switches.get(i);
                consider("uplink of " + kind, device.name(), bytesUp[i] / device.uplink());
                consider("downlink of " + kind, device.name(), bytesDown[i] / device.downlink());
            }
        }

        private void consider(String what, String name, double seconds) {
            if (seconds > longest) {
                longest = seconds;
                where = what + name;
            }
        }
    }
}
