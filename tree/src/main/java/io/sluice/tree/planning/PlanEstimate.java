package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.topology.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The predicted duration of a plan.
 *
 * <p>All hops stream at once. A relay receives a whole frame before it forwards it, and sends it to its children one
 * after another. So a link starts when the first frame of any tree reaches it, and is busy until its whole load is
 * sent; its last frames then travel to the sites below. The plan ends with its last link.
 *
 * <p>Trees with the same root site, such as stripes, share its uplink in turns from the first frame on.
 *
 * <p>Pushes of the job occupy links from the start on.
 *
 * <p>The last frames on a link are assumed to be those of the tree that reaches it last, since the others start
 * earlier. If one tree starts while another is busy elsewhere, as with chains from different roots, the estimate is
 * much less than the sum of the time of the busiest link and the longest path.
 *
 * @param linkSeconds    seconds for which the busiest link is busy
 * @param link           name of the busiest link, for people
 * @param fillSeconds    further seconds until the first frame reaches the busiest link, and after the last has left it
 * @param waitSeconds    possible further delay, not included in the time: if trees reach a host faster than its
 *                       downlink, frames that it has to relay wait behind frames for itself, and its uplink is idle
 * @param maxUplinkBytes bytes that the host sends that sends most
 */
public record PlanEstimate(
        double linkSeconds, String link, double fillSeconds, double waitSeconds, long maxUplinkBytes) {
    /** Seconds until the last site has the last byte. */
    public double finishSeconds() {
        return linkSeconds + fillSeconds;
    }

    /** Seconds until the last site has the last byte, possible delay included. */
    public double latestSeconds() {
        return finishSeconds() + waitSeconds;
    }

    /**
     * Estimates a plan.
     *
     * @param job  the job
     * @param plan a plan for the job
     * @return its predicted duration
     */
    public static PlanEstimate of(BroadcastJob job, Forest plan) {
        Network network = new Network(job);
        for (RelayTree tree : plan.trees()) {
            network.add(tree);
        }
        return network.estimate();
    }

    /** Links of one kind: for each its load, its first send, and the time from its last frame to the last receiver. */
    private static final class Links {
        final double[] bytes;
        private final double[] firstSeconds;
        private final double[] lastSeconds;
        private final double[] tailSeconds;

        /** For each link, when it begins to send the first frame of the tree being added. */
        private final double[] firstSendSeconds;

        /** For each link, the time from its last frame of that tree until the last receiver has it. */
        private final double[] remainingSeconds;

        private final boolean[] isTouched;
        private final int[] touched;
        private int count;

        Links(int links) {
            bytes = new double[links];
            firstSeconds = new double[links];
            lastSeconds = new double[links];
            tailSeconds = new double[links];
            firstSendSeconds = new double[links];
            remainingSeconds = new double[links];
            isTouched = new boolean[links];
            touched = new int[links];
            Arrays.fill(firstSeconds, Double.POSITIVE_INFINITY);
            Arrays.fill(lastSeconds, -1);
        }

        void carryPush(int link, long pushed) {
            bytes[link] += pushed;
            firstSeconds[link] = 0;
        }

        void carry(int link, double treeBytes, double firstSend, double remaining) {
            bytes[link] += treeBytes;
            if (!isTouched[link]) {
                isTouched[link] = true;
                touched[count++] = link;
                firstSendSeconds[link] = firstSend;
                remainingSeconds[link] = remaining;
            } else {
                firstSendSeconds[link] = Math.min(firstSendSeconds[link], firstSend);
                remainingSeconds[link] = Math.max(remainingSeconds[link], remaining);
            }
        }

        /** Completes the tree that is being added: enters its times at each link into the totals. */
        void treeAdded() {
            for (int i = 0; i < count; i++) {
                int link = touched[i];
                double firstSend = firstSendSeconds[link];
                firstSeconds[link] = Math.min(firstSeconds[link], firstSend);
                if (firstSend > lastSeconds[link]) {
                    lastSeconds[link] = firstSend;
                    tailSeconds[link] = remainingSeconds[link];
                } else if (firstSend == lastSeconds[link]) {
                    tailSeconds[link] = Math.max(tailSeconds[link], remainingSeconds[link]);
                }
                isTouched[link] = false;
            }
            count = 0;
        }

        /** The time when the last frames that the link carries reach their last site. */
        double doneSeconds(int link, double busySeconds) {
            return bytes[link] == 0 ? 0 : firstSeconds[link] + busySeconds + tailSeconds[link];
        }
    }

    /** All links, and the trees that they carry. */
    private static final class Network {
        private final BroadcastJob job;
        private final Links up;
        private final Links down;
        private final Links edgeUp;
        private final Links edgeDown;
        private final Links aggregationUp;
        private final Links aggregationDown;

        /** Paths whose bandwidth has been measured: their numbers by sender and receiver. */
        private final Map<Long, Integer> measured = new HashMap<>();

        private final Links paths;

        /** Bytes that a site receives in trees in which it is a leaf, by site. */
        private final double[] leafBytes;

        /** For each site, whether it sends frames of a tree. */
        private final boolean[] sends;

        /** For each site, bytes per second that it receives from all trees together if nothing delays them. */
        private final double[] rates;

        /**
         * For each site, seconds that the first frames of the trees rooted there take so far: the next tree waits for
         * them.
         */
        private final double[] begun;

        /** For each site, seconds until it has the tree's first frame. */
        private final double[] there;

        /** For each site, seconds until all sites below it have a frame that it has. */
        private final double[] below;

        private double longest;
        private String where = "none";
        private double done;

        Network(BroadcastJob job) {
            this.job = job;
            int edges = job.topology().edges().size();
            int aggregations = job.topology().aggregations().size();
            up = new Links(job.sites());
            down = new Links(job.sites());
            edgeUp = new Links(edges);
            edgeDown = new Links(edges);
            aggregationUp = new Links(aggregations);
            aggregationDown = new Links(aggregations);
            paths = new Links(2 * job.topology().measuredPairs());
            leafBytes = new double[job.sites()];
            sends = new boolean[job.sites()];
            rates = new double[job.sites()];
            begun = new double[job.sites()];
            there = new double[job.sites()];
            below = new double[job.sites()];
            if (job.hasPushes()) {
                addPushes();
            }
        }

        private void addPushes() {
            for (int shard = 0; shard < job.shards(); shard++) {
                for (int site = 0; site < job.sites(); site++) {
                    long pushed = job.pushBytes(shard, site);
                    if (pushed > 0) {
                        addPush(site, job.root(shard), pushed);
                    }
                }
            }
        }

        private void addPush(int from, int to, long pushed) {
            up.carryPush(from, pushed);
            down.carryPush(to, pushed);
            if (job.edge(from) != job.edge(to)) {
                edgeUp.carryPush(job.edge(from), pushed);
                edgeDown.carryPush(job.edge(to), pushed);
            }
            if (job.aggregation(from) != job.aggregation(to)) {
                aggregationUp.carryPush(job.aggregation(from), pushed);
                aggregationDown.carryPush(job.aggregation(to), pushed);
            }
            if (job.pathRate(from, to) < Double.POSITIVE_INFINITY) {
                paths.carryPush(pathNumber(from, to), pushed);
            }
        }

        void add(RelayTree tree) {
            double frame = Math.min(job.frameBytes(), tree.bytes());
            computeArrivals(tree, frame);
            computeRemaining(tree, frame);
            double rate = job.uplink(tree.root()) / Math.max(1, tree.degree(tree.root()));
            for (int place = 1; place < tree.size(); place++) {
                int site = tree.order(place);
                rates[site] += rate;
                leafBytes[site] += tree.degree(site) == 0 ? tree.bytes() : 0;
                sends[site] |= tree.degree(site) > 0;
            }
            for (int place = 0; place < tree.size(); place++) {
                int site = tree.order(place);
                int degree = tree.degree(site);
                double turn = frame / job.uplink(site);
                double remaining = 0;
                for (int i = 0; i < degree; i++) {
                    int child = tree.child(site, i);
                    double hop = hop(frame, site, child) + below[child];
                    remaining = Math.max(remaining, hop - (degree - 1 - i) * turn);
                    carry(tree, frame, site, child);
                }
                if (degree > 0) {
                    up.carry(site, (double) degree * tree.bytes(), there[site], remaining);
                }
            }
            for (Links links : List.of(up, down, edgeUp, edgeDown, aggregationUp, aggregationDown, paths)) {
                links.treeAdded();
            }
        }

        /** Time of a frame from an uplink to a site, without its time on that uplink. */
        private double hop(double frame, int from, int to) {
            double rate = Math.min(job.downlink(to), job.pathRate(from, to));
            return job.topology().latency() + Math.max(0, frame / rate - frame / job.uplink(from));
        }

        private void computeArrivals(RelayTree tree, double frame) {
            there[tree.root()] = begun[tree.root()];
            begun[tree.root()] += tree.degree(tree.root()) * frame / job.uplink(tree.root());
            for (int place = 0; place < tree.size(); place++) {
                int site = tree.order(place);
                double turn = frame / job.uplink(site);
                for (int i = 0; i < tree.degree(site); i++) {
                    int child = tree.child(site, i);
                    there[child] = there[site] + (i + 1) * turn + hop(frame, site, child);
                }
            }
        }

        private void computeRemaining(RelayTree tree, double frame) {
            for (int place = tree.size() - 1; place >= 0; place--) {
                int site = tree.order(place);
                double turn = frame / job.uplink(site);
                double longestWay = 0;
                for (int i = 0; i < tree.degree(site); i++) {
                    int child = tree.child(site, i);
                    longestWay = Math.max(longestWay, (i + 1) * turn + hop(frame, site, child) + below[child]);
                }
                below[site] = longestWay;
            }
        }

        private void carry(RelayTree tree, double frame, int from, int to) {
            double firstSend = begins(to, frame / job.downlink(to));
            down.carry(to, tree.bytes(), firstSend, below[to]);
            if (job.edge(from) != job.edge(to)) {
                edgeUp.carry(job.edge(from), tree.bytes(), firstSend, below[to]);
                edgeDown.carry(job.edge(to), tree.bytes(), firstSend, below[to]);
            }
            if (job.aggregation(from) != job.aggregation(to)) {
                aggregationUp.carry(job.aggregation(from), tree.bytes(), firstSend, below[to]);
                aggregationDown.carry(job.aggregation(to), tree.bytes(), firstSend, below[to]);
            }
            if (job.pathRate(from, to) < Double.POSITIVE_INFINITY) {
                double firstSendOnPath = begins(to, frame / job.pathRate(from, to));
                paths.carry(pathNumber(from, to), tree.bytes(), firstSendOnPath, below[to]);
            }
        }

        /** The time when the first frame begins on a link to a site; rounding must not make it negative. */
        private double begins(int to, double frameSeconds) {
            return Math.max(0, there[to] - frameSeconds);
        }

        private int pathNumber(int from, int to) {
            return measured.computeIfAbsent((long) from << Integer.SIZE | to, pair -> measured.size());
        }

        PlanEstimate estimate() {
            double most = 0;
            double waits = 0;
            for (int site = 0; site < job.sites(); site++) {
                most = Math.max(most, up.bytes[site]);
                double upSeconds = up.bytes[site] / job.uplink(site);
                double downSeconds = down.bytes[site] / job.downlink(site);
                if (Math.max(upSeconds, downSeconds) > longest) {
                    busy("uplink of host ", job.name(site), upSeconds);
                    busy("downlink of host ", job.name(site), downSeconds);
                }
                if (sends[site] && rates[site] > job.downlink(site)) {
                    double share = 1 - job.downlink(site) / rates[site];
                    waits = Math.max(waits, share * leafBytes[site] / job.downlink(site));
                }
                done = Math.max(done, up.doneSeconds(site, upSeconds));
                done = Math.max(done, down.doneSeconds(site, downSeconds));
            }
            add("edge ", job.topology().edges(), edgeUp, edgeDown);
            add("aggregation ", job.topology().aggregations(), aggregationUp, aggregationDown);
            measured.forEach(this::add);
            return new PlanEstimate(longest, where, Math.max(0, done - longest), waits, (long) most);
        }

        private void add(long pair, int path) {
            int from = (int) (pair >> Integer.SIZE);
            int to = (int) pair;
            double seconds = paths.bytes[path] / job.pathRate(from, to);
            busy("path from host " + job.name(from) + " to ", job.name(to), seconds);
            done = Math.max(done, paths.doneSeconds(path, seconds));
        }

        private void add(String kind, List<Topology.Switch> switches, Links ups, Links downs) {
            for (int i = 0; i < switches.size(); i++) {
                Topology.Switch device = switches.get(i);
                double upSeconds = ups.bytes[i] / device.uplink();
                double downSeconds = downs.bytes[i] / device.downlink();
                busy("uplink of " + kind, device.name(), upSeconds);
                busy("downlink of " + kind, device.name(), downSeconds);
                done = Math.max(done, ups.doneSeconds(i, upSeconds));
                done = Math.max(done, downs.doneSeconds(i, downSeconds));
            }
        }

        private void busy(String what, String name, double seconds) {
            if (seconds > longest) {
                longest = seconds;
                where = what + name;
            }
        }
    }
}
