package io.sluice.consistency.worker;

import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.Failure;
import io.sluice.consistency.membership.Membership;
import io.sluice.messaging.Link;
import io.sluice.messaging.LinkClosedException;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * A worker's way to one server: the link, and for each table the ledger of what went over it.
 *
 * <p>Sending waits while the link is full, which is how back-pressure reaches the trainer. The wait ends with an error
 * if the cluster fails, or if a server that lives takes nothing for the whole deadline.
 */
final class PushChannel {
    private final int server;
    private final Link link;
    private final Membership membership;
    private final NanoClock clock;
    private final IdleStrategy idle;
    private final long deadlineNs;
    private final WorkerStats stats;
    private ClockLedger[] ledgers = new ClockLedger[0];

    PushChannel(
            int server,
            Link link,
            Membership membership,
            NanoClock clock,
            IdleStrategy idle,
            long deadlineNs,
            WorkerStats stats) {
        this.server = server;
        this.link = link;
        this.membership = membership;
        this.clock = clock;
        this.idle = idle;
        this.deadlineNs = deadlineNs;
        this.stats = stats;
    }

    Link link() {
        return link;
    }

    /** Opens a ledger for each table, at round 0. */
    void openLedgers(int tables) {
        ledgers = new ClockLedger[tables];
        for (int i = 0; i < tables; i++) {
            ledgers[i] = new ClockLedger(0);
        }
    }

    ClockLedger ledger(int table) {
        return ledgers[table];
    }

    void send(DirectBuffer buffer, int length) {
        try {
            if (!link.offer(buffer, 0, length)) {
                sendWhenThereIsRoom(buffer, length);
            }
        } catch (LinkClosedException e) {
            throw membership.explain(e);
        }
    }

    private void sendWhenThereIsRoom(DirectBuffer buffer, int length) {
        long startNs = clock.nanoTime();
        idle.reset();
        do {
            membership.check();
            long waitedNs = clock.nanoTime() - startNs;
            if (waitedNs > deadlineNs) {
                throw membership.fail(
                        Failure.TIMEOUT,
                        "server " + server + " has taken no push for " + TimeUnit.NANOSECONDS.toSeconds(waitedNs)
                                + " s although all nodes are alive; a worker before this one may not have pushed");
            }
            Worker.checkInterrupt("pushing to server " + server);
            idle.idle();
        } while (!link.offer(buffer, 0, length));
        stats.onWait(clock.nanoTime() - startNs);
    }
}
