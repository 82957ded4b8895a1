package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ClusterException;
import io.sluice.messaging.Patience;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;

/**
 * How a node leaves: it says so with each heartbeat until it hears the event. Of several coordinators, the one that was
 * told may die with it, and it may take a while until there is another. A node that has failed, or leaves when the job
 * is over, is gone once its link has taken the message. Begun and awaited by the node's own thread, said by the
 * membership's.
 */
final class LeaveProtocol {
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Longer than most take-overs take: for those who need not know. */
    private static final long TAKEOVER_NS = TimeUnit.SECONDS.toNanos(15);

    private volatile long reached;
    private volatile boolean begun;
    private volatile boolean decided;
    private volatile boolean over;
    private volatile boolean said;

    /** Whether this node wants to leave. */
    boolean isBegun() {
        return begun;
    }

    /** Whether this node is gone, as far as others are concerned. */
    boolean isOver() {
        return over;
    }

    /** Whether a coordinator that leads was told. */
    boolean isSaid() {
        return said;
    }

    /** Says it; returns the number of messages. */
    int say(CoordinatorSession coordinator, ControlMessages messages, int node, boolean jobIsOver) {
        if (!coordinator.offer(messages, messages.leave(node, reached))) {
            return 0;
        }
        said = true;
        over |= !decided || jobIsOver && !coordinator.isOfSeveral();
        return 1;
    }

    /** Another coordinator leads, who may not have been told. */
    void sayAgain() {
        said = false;
    }

    /** It is decided: all know, or will. */
    void confirm() {
        over = true;
    }

    /**
     * The membership's next cycle says it.
     *
     * @param clock that this node has reached
     */
    void begin(long clock, CoordinatorSession coordinator, AtomicReference<ClusterException> failure) {
        reached = clock;
        decided = null == failure.get();
        begun = true;
    }

    /**
     * Waits until the coordinator has answered a report, for at most a second; with several coordinators for the time
     * of a take-over.
     *
     * @return whether it has; if not, this node ends without a goodbye, and others learn of its end by its silence
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
            network.report(name + " has failed, and " + coordinator.who() + " has not answered its report within "
                    + TimeUnit.NANOSECONDS.toMillis(patienceNs) + " ms: other nodes learn of it by its silence");
        }
        return !late;
    }

    /**
     * Waits until it is decided: for at most a second; with several coordinators for as long as a node does without
     * one, or for 15 s if it is interrupted, or the job is over: then no node is missed any more.
     *
     * @param jobIsOver   whether all workers have left
     * @param name        of this node
     * @param coordinator to be told
     * @param failure     of this node so far: with one it is not worth while to wait any longer
     * @throws ClusterException that it was not decided in time, which is this node's failure from then on
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
                network.report(name + " leaves, and " + coordinator.who() + " has not confirmed that within "
                        + TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS) + " ms: others may miss it");
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
        boolean interrupted = Thread.interrupted(); // an interrupted thread says goodbye all the same
        while (!over
                && !done.getAsBoolean()
                && !network.isClosed()
                && time.nanoTime() - beginNs < (interrupted ? interruptedNs : patienceNs)) {
            threads.invoke();
            long nowNs = time.nanoTime();
            if (patience.isTime(nowNs)) {
                patience.tell("the answer of " + coordinator.who(), nowNs);
            }
            LockSupport.parkNanos(PARK_NS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
