package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.messaging.LinkClosedException;
import io.sluice.messaging.Patience;
import io.sluice.messaging.Transport;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * The end of a worker that is done where nodes may come back (decision 29): until all workers are, somebody may need
 * what this one has pushed, and only this one keeps it.
 *
 * @param membership knows when all are done
 * @param view       of this worker
 * @param transport  of this worker
 * @param clock      monotonic time
 * @param progressNs for which to wait while all live and nothing is broadcast, in nanoseconds
 * @param idle       between two looks
 */
record Lingering(
        Membership membership,
        TrainerView view,
        Transport transport,
        NanoClock clock,
        long progressNs,
        IdleStrategy idle) {

    /** The end of a worker with these links. */
    static Lingering of(WorkerLinks links) {
        return new Lingering(
                links.membership(), links.view(), links.transport(), links.clock(), links.progressNs(), links.idle());
    }

    /** What is published but not sent would be missed; whoever closes because of a failure does not wait for it. */
    static void settle(WorkerLinks links) {
        try {
            links.settle();
        } catch (LinkClosedException e) {
            links.membership().failed(e); // the driver is gone
        } catch (ClusterException e) {
            // The failure has been thrown to the trainer already, or nobody can be helped any more.
        }
    }

    /**
     * Waits until all workers are done, for as long as they come on. The failure of the cluster, or the silence of the
     * coordinator, ends that too.
     *
     * @param duty sends what is to be sent, if that is for this thread to do
     */
    void await(IntSupplier duty) {
        long version = membership.versionBroadcast();
        Patience patience = membership.patience(progressNs);
        try {
            while (!membership.isOver()
                    && !transport.isClosed()
                    && !Thread.currentThread().isInterrupted()) {
                membership.check();
                view.advance();
                long nowNs = clock.nanoTime();
                if (version != membership.versionBroadcast()
                        || view.isAwaiting()) { // for how long the coordinator knows
                    version = membership.versionBroadcast();
                    patience.extend(nowNs);
                } else if (patience.isOver(nowNs)) {
                    transport.report(inVain(version));
                    return;
                }
                if (patience.isTime(nowNs)) {
                    patience.tell(others() + " to be done, for they may need what this one keeps", nowNs);
                }
                idle.idle(duty.getAsInt());
            }
        } catch (LinkClosedException e) {
            membership.failed(e);
        } catch (ClusterException e) {
            // Whoever had something to do has been told: here is nothing left to be done for anybody.
        }
    }

    private String others() {
        ClusterPlan plan = membership.plan();
        return IntStream.range(0, plan.settings().workers())
                .filter(worker -> view.state().clockAtLeaving(worker) == Long.MAX_VALUE)
                .mapToObj(plan::workerNode)
                .filter(node -> node != membership.node())
                .map(plan::nameOf)
                .collect(Collectors.joining(", "));
    }

    private String inVain(long version) {
        return membership.plan().nameOf(membership.node()) + " is done and waits no longer for " + others()
                + ": all nodes are alive, but nothing was broadcast behind clock " + version + " for "
                + TimeUnit.NANOSECONDS.toSeconds(progressNs) + " s";
    }
}
