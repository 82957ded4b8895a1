package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.messaging.LinkClosedException;
import io.sluice.messaging.Patience;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.IdleStrategy;

/**
 * Delays the end of a completed worker if nodes may rejoin (decision 9), or workers send to each other. Until all have
 * completed, one of them may need frames that only this worker keeps.
 *
 * @param links links of the worker
 */
record LeaveBarrier(WorkerLinks links) {

    /** Waits until all published frames are sent. A worker that closes after a failure does not wait. */
    void settle() {
        try {
            links.settle();
        } catch (LinkClosedException e) {
            links.membership().failed(e); // the media driver has ended
        } catch (ClusterException e) {
            // The failure has already been thrown to the trainer, or no node needs these frames.
        } catch (RuntimeException e) { // for example a refusal of the link to a server that has rejoined
            links.transport().onError(e);
            links.membership().failed(e);
        }
    }

    /**
     * Waits until all workers have completed, if they may need frames of this one, and as long as they make progress.
     * This worker cannot observe the progress of workers that send to each other, so their wait has no limit. A failure
     * of the cluster or the silence of the coordinator also ends the wait.
     */
    void await() {
        Membership membership = links.membership();
        if (null == links.pushes() || !membership.plan().settings().keepsLeavers()) {
            return;
        }
        long version = membership.versionBroadcast();
        boolean isSeen = !membership.plan().settings().isPeer();
        Patience patience = membership.patience(isSeen ? links.progressNs() : Patience.UNLIMITED);
        IdleStrategy idle = links.idle();
        try {
            while (!membership.isOver()
                    && !links.transport().isClosed()
                    && !Thread.currentThread().isInterrupted()) {
                membership.check();
                links.view().advance();
                long nowNs = links.clock().nanoTime();
                if (version != membership.versionBroadcast()
                        || links.view().isAwaiting()) { // the coordinator limits that wait
                    version = membership.versionBroadcast();
                    patience.extend(nowNs);
                } else if (patience.isOver(nowNs)) {
                    links.transport().report(inVain(version));
                    return;
                }
                if (patience.isTime(nowNs)) {
                    patience.report(
                            others() + " to complete, because they may need frames that this node keeps", nowNs);
                }
                idle.idle(links.invoke());
            }
        } catch (LinkClosedException e) {
            membership.failed(e);
        } catch (ClusterException e) {
            // The failure has been reported: this worker has nothing left to do for the others.
        } catch (RuntimeException e) {
            links.transport().onError(e); // the worker has left, so the coordinator would drop its report
        }
    }

    private String others() {
        ClusterPlan plan = links.membership().plan();
        return IntStream.range(0, plan.settings().workers())
                .filter(worker -> links.view().state().clockAtLeaving(worker) == Long.MAX_VALUE)
                .mapToObj(plan::workerNode)
                .filter(node -> node != links.membership().node())
                .map(plan::nameOf)
                .collect(Collectors.joining(", "));
    }

    private String inVain(long version) {
        Membership membership = links.membership();
        return membership.plan().nameOf(membership.node()) + " has completed and stops waiting for " + others()
                + ": all nodes are alive, but nothing was broadcast after clock " + version + " for "
                + TimeUnit.NANOSECONDS.toSeconds(links.progressNs()) + " s";
    }
}
