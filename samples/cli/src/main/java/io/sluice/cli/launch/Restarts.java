package io.sluice.cli.launch;

import io.sluice.consistency.terms.DeathPolicy;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Decides which nodes of a job are started again after a failure: coordinators that have processes of their own and,
 * under {@link DeathPolicy#WAIT} once the cluster was complete, all nodes except the one that coordinates. A node is
 * started again at most {@value #MOST} times in a row, unless the job makes progress in between. A node that a signal
 * requested to end counts as killed. A node that would fail again, because it was refused or its command is wrong, is
 * not started again. Safe from any thread.
 */
final class Restarts {
    /** Maximum number of consecutive restarts. */
    static final int MOST = 3;

    private static final int KILLED = 128;
    private static final int CLUSTER_FAILED = 76;
    private static final int UNAVAILABLE = 69;
    private static final String COORDINATOR = "server 0";

    private static final String OTHERS = "coordinator ";

    private final boolean waits;
    private final boolean several;
    private final PrintStream out;
    private final Map<String, Tries> tries = new HashMap<>();
    private final Set<String> done = new HashSet<>();
    private final Set<String> refused = new HashSet<>();
    private boolean complete;
    private long furthest;
    private boolean over;
    private int count;

    /**
     * Creates a count of zero restarts.
     *
     * @param waits   whether the cluster waits for a node that has died
     * @param several whether coordinators have processes of their own, so that server 0 is like any other
     * @param out     stream for messages
     */
    Restarts(boolean waits, boolean several, PrintStream out) {
        this.several = several;
        this.waits = waits;
        this.out = out;
    }

    /** Processes a report from a node. */
    synchronized void on(NodeEvent event) {
        switch (event) {
            case NodeEvent.Joined _ -> complete = true;
            case NodeEvent.Clock clock -> furthest = Math.max(furthest, clock.clock());
            case NodeEvent.WorkerDone worker -> done.add("worker " + worker.worker());
            default -> {}
        }
    }

    /** The highest clock that a worker has reported. */
    synchronized long furthest() {
        return furthest;
    }

    /** The number of restarts of dead servers and workers. */
    synchronized int count() {
        return count;
    }

    /** Whether all nodes had joined. */
    synchronized boolean wasComplete() {
        return complete;
    }

    /** Whether any node may be started again. */
    boolean mayRestart() {
        return waits;
    }

    /** Whether a failed node had completed its work. */
    synchronized boolean hasDone(String node) {
        return waits && done.contains(node);
    }

    /** Records the start of a node; the reports of its earlier incarnation no longer count. */
    synchronized void starting(String node) {
        refused.remove(node);
    }

    /** Records a node that has ended and would fail again. */
    synchronized void refused(String node) {
        refused.add(node);
    }

    /** The likely result of starting a failed node again. */
    synchronized ChildFailedException.Kind kind(String node, int code) {
        if (code > KILLED) {
            return ChildFailedException.Kind.KILLED;
        }
        boolean mayPass = code == CLUSTER_FAILED || code == UNAVAILABLE || code == 1;
        return mayPass && !refused.contains(node)
                ? ChildFailedException.Kind.TRANSIENT
                : ChildFailedException.Kind.LASTING;
    }

    /** Whether to restart a child that has failed; reports the decision. */
    synchronized boolean restarts(String node, int code, String ending) {
        boolean mayReturn =
                node.startsWith(OTHERS) ? !over : waits && complete && !over && (several || !COORDINATOR.equals(node));
        if (!mayReturn || !hasDied(node, code)) {
            return false;
        }
        Tries before = tries.getOrDefault(node, new Tries(0, -1));
        int inRow = furthest > before.furthest ? 1 : before.count + 1;
        if (inRow > MOST) {
            return false;
        }
        tries.put(node, new Tries(inRow, furthest));
        count += node.startsWith(OTHERS) ? 0 : 1;
        out.printf("%nsluice: %s: started again as %s (%d of %d)%n", ending, node, inRow, MOST);
        return true;
    }

    /**
     * Whether a failed node has died. A coordinator whose engine has ended counts as dead, unless the job had not
     * begun: then it cannot start.
     */
    private boolean hasDied(String node, int code) {
        boolean mayPass = ChildFailedException.Kind.LASTING != kind(node, code);
        return mayPass && (code != UNAVAILABLE || complete && node.startsWith(OTHERS));
    }

    /** Records that the job ends its processes from now on. */
    synchronized void end() {
        over = true;
    }

    private record Tries(int count, long furthest) {}
}
