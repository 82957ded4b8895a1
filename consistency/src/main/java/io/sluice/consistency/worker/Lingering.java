package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterException;
import io.sluice.consistency.membership.Membership;
import io.sluice.messaging.Transport;
import java.util.function.IntSupplier;
import org.agrona.concurrent.IdleStrategy;

/**
 * The end of a worker that is done where nodes may come back (decision 29): until all workers are, somebody may need
 * what this one has pushed, and only this one keeps it.
 *
 * @param membership knows when all are done
 * @param transport  of this worker
 * @param idle       between two looks
 */
record Lingering(Membership membership, Transport transport, IdleStrategy idle) {

    /** What is published but not sent would be missed; whoever closes because of a failure does not wait for it. */
    static void settle(WorkerLinks links) {
        try {
            links.settle();
        } catch (ClusterException e) {
            // The failure has been thrown to the trainer already, or nobody can be helped any more.
        }
    }

    /**
     * Waits until all workers are done. The failure of the cluster, or the silence of the coordinator, ends that too.
     *
     * @param duty sends what is to be sent, if that is for this thread to do
     */
    void await(IntSupplier duty) {
        try {
            while (membership.attendance().changes()
                    && !membership.isOver()
                    && !transport.isClosed()
                    && !Thread.currentThread().isInterrupted()) {
                membership.check();
                idle.idle(duty.getAsInt());
            }
        } catch (ClusterException e) {
            // Whoever had something to do has been told: here is nothing left to be done for anybody.
        }
    }
}
