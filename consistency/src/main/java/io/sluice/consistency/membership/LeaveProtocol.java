package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ClusterException;
import io.sluice.messaging.Patience;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;

/**
 * The protocol by which a node leaves. The node repeats its request with each heartbeat until the event arrives. Of
 * several coordinators, the leader that received the request may die, and the next leader may take a while. A node that
 * has failed, or leaves when the job is over, has left once its link has accepted the message. The node's own thread
 * begins to leave and waits; the membership's thread sends the request.
 */
final class LeaveProtocol {
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Time to wait for a takeover, by nodes that do not depend on its outcome. */
    private static final long TAKEOVER_NS = TimeUnit.SECONDS.toNanos(15);

    private volatile long reached;
    private volatile boolean begun;
    private volatile boolean decided;
    private volatile boolean over;
    private volatile boolean said;

    /** Whether this node leaves. */
    boolean isBegun() {
        return begun;
    }

    /** Whether this node has left, for the other nodes. */
    boolean isOver() {
        return over;
    }

    /** Whether a leader has received the request to leave. */
    boolean isSaid() {
        return said;
    }

    /** Sends the request to leave; returns the number of messages. */
    int say(CoordinatorSession coordinator, ControlMessages messages, int node, boolean jobIsOver) {
        if (!coordinator.offer(messages, messages.leave(node, reached))) {
            return 0;
        }
        said = true;
        over |= !decided || jobIsOver && !coordinator.isOfSeveral();
        return 1;
    }

    /** Repeats the request to leave, which a new leader may not have received. */
    void sayAgain() {
        said = false;
    }

    /** Records the decision that the node leaves. */
    void confirm() {
        over = true;
    }

    /**
     * Makes the membership's next cycle send the request to leave.
     *
     * @param clock clock that this node has reached
     */
    void begin(long clock, CoordinatorSession coordinator, AtomicReference<ClusterException> failure) {
        reached = clock;
        decided = null == failure.get();
        begun = true;
    }

    /**
     * Waits until the coordinator has answered a report, for at most a second, or with several coordinators for the
     * time of a takeover.
     *
     * @return whether the coordinator has answered; if not, other nodes detect the end of this node by its silence
     */
    boolean awaitAnswer(
            BooleanSupplier answered,
            String name,
            CoordinatorSession coordinator,
            AgentThreads threads,
            ControlNetwork network,
            NanoClock time) {
        long patienceNs = coordinator.isOfSeveral() ? Math.min(coordinator.waitNs(), TAKEOVER_NS) : PATIENCE_NS;
        await(name, coordinator, patienceNs, patienceNs, answered, threads, network, time);
        boolean late = !answered.getAsBoolean() && !network.isClosed();
        if (late) {
            network.report(name + " has failed, and " + coordinator.leaderName()
                    + " has not answered its report within " + TimeUnit.NANOSECONDS.toMillis(patienceNs)
                    + " ms: other nodes will detect it by its silence");
        }
        return !late;
    }

    /**
     * Waits for the decision that the node leaves. With one coordinator, waits at most a second. With several, waits at
     * most as long as a node continues without a leader. That limit is at most 15 s if the thread is interrupted, or if
     * the job is over and no further node is declared lost.
     *
     * @param jobIsOver   whether all workers have left
     * @param name        name of this node
     * @param coordinator coordinator that receives the request
     * @param failure     failure of this node so far; a failed node waits at most a second, until its request is sent
     * @throws ClusterException if there was no decision in time, which is this node's failure from then on
     */
    void await(
            BooleanSupplier jobIsOver,
            String name,
            CoordinatorSession coordinator,
            AtomicReference<ClusterException> failure,
            AgentThreads threads,
            ControlNetwork network,
            NanoClock time) {
        if (!decided || !coordinator.isOfSeveral()) {
            await(name, coordinator, PATIENCE_NS, PATIENCE_NS, () -> false, threads, network, time);
            if (!over && !jobIsOver.getAsBoolean() && null == failure.get() && !network.isClosed()) {
                network.report(name + " leaves, and " + coordinator.leaderName() + " has not confirmed that within "
                        + TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS) + " ms: other nodes may declare it lost");
            }
            return;
        }
        long waitNs = coordinator.waitNs();
        long shortNs = Math.min(waitNs, TAKEOVER_NS);
        long beginNs = time.nanoTime();
        BooleanSupplier vain = () -> null != failure.get();
        long longestNs = jobIsOver.getAsBoolean() ? shortNs : waitNs;
        await(name, coordinator, longestNs, shortNs, vain, threads, network, time);
        if (over || jobIsOver.getAsBoolean() || vain.getAsBoolean() || network.isClosed()) {
            return;
        }
        ClusterException undecided = coordinator.undecided(name, time.nanoTime() - beginNs);
        if (failure.compareAndSet(null, undecided)) {
            network.record(undecided);
            throw undecided;
        }
    }

    private void await(
            String name,
            CoordinatorSession coordinator,
            long patienceNs,
            long interruptedNs,
            BooleanSupplier done,
            AgentThreads threads,
            ControlNetwork network,
            NanoClock time) {
        long beginNs = time.nanoTime();
        Patience patience = new Patience(name + ", which leaves,", patienceNs, network::report, beginNs);
        boolean interrupted = Thread.interrupted(); // an interrupted thread also leaves in order
        while (!over
                && !done.getAsBoolean()
                && !network.isClosed()
                && time.nanoTime() - beginNs < (interrupted ? interruptedNs : patienceNs)) {
            threads.invoke();
            long nowNs = time.nanoTime();
            if (patience.isTime(nowNs)) {
                patience.report("the answer of " + coordinator.leaderName(), nowNs);
            }
            LockSupport.parkNanos(PARK_NS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
