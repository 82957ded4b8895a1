package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Patience;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * Reports the trainer thread for which other threads of the process wait, and ends the job once they have waited too
 * long.
 */
final class ThreadWatch {
    private final Membership membership;
    private final RowClient.TrainerThread[] threads;
    private final NanoClock clock;
    private final Patience patience;

    /** The thread that others wait for; null if there is none. */
    private RowClient.TrainerThread late;

    /** The clock of that thread. */
    private long lateClock;

    ThreadWatch(WorkerLinks links, RowClient.TrainerThread[] threads) {
        this.membership = links.membership();
        this.threads = threads;
        this.clock = links.clock();
        this.patience = membership.patience(links.progressNs());
    }

    /** Checks the threads; allocates nothing before there is something to report. */
    void look() {
        RowClient.TrainerThread slowest = slowest();
        long nowNs = clock.nanoTime();
        if (slowest == null || slowest != late || slowest.completed() != lateClock) {
            late = slowest;
            lateClock = slowest == null ? 0 : slowest.completed();
            patience.begin(nowNs);
        } else if (patience.isOver(nowNs)) {
            throw membership.fail(
                    Failure.TIMEOUT,
                    "trainer thread " + late.index() + " has not ended clock " + (lateClock + 1) + " within "
                            + TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs))
                            + " s although other threads of the process wait for it");
        } else if (patience.isTime(nowNs)) {
            patience.report("trainer thread " + late.index() + " to end clock " + (lateClock + 1), nowNs);
        }
    }

    /** The slowest of the threads that compute, if a thread with more completed iterations waits; otherwise null. */
    private RowClient.TrainerThread slowest() {
        RowClient.TrainerThread slowest = null;
        long waiting = Long.MIN_VALUE;
        for (RowClient.TrainerThread thread : threads) {
            if (thread.hasEnded()) {
                continue;
            }
            if (thread.waits()) {
                waiting = Math.max(waiting, thread.completed());
            } else if (slowest == null || thread.completed() < slowest.completed()) {
                slowest = thread;
            }
        }
        return slowest != null && slowest.completed() < waiting ? slowest : null;
    }
}
