package io.sluice.consistency.membership;

import java.util.BitSet;
import java.util.function.Supplier;

/**
 * Nodes that have gone while the job runs, or are to go: whether somebody may still need something of them. If not, a
 * place can be taken again, and a server may leave (decisions 33 and 37). Used by the coordinator's thread.
 */
final class GoingNodes {
    /** Of a server that has come and owns nothing yet: it is behind nobody. */
    private static final long AHEAD = Long.MAX_VALUE;

    private final ClusterSettings settings;
    private final NodeIds ids;
    private final Members nodes;
    private final ControlMessages messages;
    private final ControlNetwork network;
    private final DecisionLog log;
    private final Supplier<CrewHistory> agreed;

    /** By server, the clock of the last change that it is known to be past. */
    private final long[] passed;

    /** Servers that were told that nothing of them is needed any more. */
    private final BitSet released = new BitSet();

    /** Nodes that have taken the place of another and take no part yet: the history says when the other went. */
    private final BitSet newcomers = new BitSet();

    /** Nodes that are gone: places of servers are free at once, those of workers when all servers are past that. */
    private final BitSet gone = new BitSet();

    GoingNodes(
            ClusterSettings settings,
            Members nodes,
            ControlMessages messages,
            ControlNetwork network,
            DecisionLog log,
            Supplier<CrewHistory> agreed) {
        this.settings = settings;
        this.ids = settings.nodeIds();
        this.nodes = nodes;
        this.messages = messages;
        this.network = network;
        this.log = log;
        this.agreed = agreed;
        this.passed = new long[ids.servers()];
    }

    /** A node has arrived in an empty place. */
    void arrived(int node) {
        newcomers.set(node);
        if (ids.isServer(node)) {
            released.clear(node);
            passed[node] = AHEAD;
        }
    }

    /** It is agreed that a node that has arrived takes part, or owns slices, behind all changes so far. */
    void joins(int node, long lastClock) {
        newcomers.clear(node);
        if (ids.isServer(node)) {
            passed[node] = lastClock;
        }
    }

    /** A server is past a change. */
    void onPassed(int server, long clock) {
        passed[server] = Math.max(passed[server], clock);
        follow();
    }

    /** A node is gone: its place can be taken again, if of a worker once no server may take in what it pushed. */
    void vacate(int node) {
        nodes.get(node).isGoing = true;
        gone.set(node);
        freePlaces();
    }

    /** Looks again who is still needed. */
    void follow() {
        freePlaces();
        releaseServers();
    }

    private void freePlaces() {
        long begun = passedByAllBut(-1);
        for (int node = gone.nextSetBit(0); node >= 0; node = gone.nextSetBit(node + 1)) {
            if (goneSince(node) <= begun) {
                gone.clear(node);
                log.append(new Decision.Vacated(node));
            }
        }
    }

    /** Nobody leaves as a server before all others are past its going. */
    private long goneSince(int node) {
        return ids.isServer(node) ? 0 : agreed.get().goneSince(Role.WORKER, ids.index(node));
    }

    /** The clock of the last change that all servers are past that are here. */
    private long passedByAllBut(int exempt) {
        long least = Long.MAX_VALUE;
        for (int server = 0; server < passed.length; server++) {
            if (server != exempt && nodes.get(server).isHere()) {
                least = Math.min(least, passed[server]);
            }
        }
        return least;
    }

    /** Whether nothing is lost with a node that leaves: a server that is drained has to wait until it is told so. */
    boolean mayLeave(int node) {
        return !isDrained(node) || released.get(node);
    }

    private boolean isDrained(int node) {
        boolean isServer = settings.isElastic() && ids.isServer(node);
        return isServer && !agreed.get().owns(node) && !nodes.get(node).isArriving;
    }

    /** Lets servers leave of which nobody needs anything any more: others have all that they had, and have gone on. */
    private void releaseServers() {
        if (isAnyoneReading()) {
            return;
        }
        for (int server = 0; server < passed.length; server++) {
            boolean goes = isDrained(server) && nodes.get(server).isHere() && !released.get(server);
            long clock = agreed.get().goneSince(Role.SERVER, server);
            if (goes && clock <= passedByAllBut(server)) {
                release(server, clock);
                network.report(
                        "server " + server + " may leave: others have all that it had, and are past clock " + clock);
            }
        }
    }

    /** Whether a worker that takes no more part may have yet to read its last version: nobody sees what it has. */
    private boolean isAnyoneReading() {
        for (int node = ids.of(Role.WORKER, 0); node < nodes.size(); node++) {
            if (goneSince(node) > 0 && !newcomers.get(node) && nodes.get(node).isHere()) {
                return true;
            }
        }
        return false;
    }

    /** A server that has come has thought better of it before it owned anything. */
    void releaseUnused(int server) {
        release(server, 0);
        network.report("server " + server + " may leave: it asked to go before it had any slices");
    }

    /** Whether a server has been told that it may leave. */
    boolean isReleased(int server) {
        return released.get(server);
    }

    private void release(int server, long clock) {
        released.set(server);
        nodes.tell(server, messages.change(ChangeStage.PASSED, 0, server, false, clock));
    }
}
