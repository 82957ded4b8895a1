package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Patience;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.Outbox;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The trainer's end of a worker's pushes to one receiver: hands blocks, round commits and other frames to the link's
 * queue.
 *
 * <p>It waits while the queue is full, which is how back-pressure reaches the trainer. The wait ends with an error if
 * the cluster fails, or if a living receiver accepts nothing for the whole deadline.
 */
final class PushChannel {
    private final String receiver;
    private final String cause;
    private final String doing;
    private final PushQueue queue;
    private final Sending sending;
    private final IntSupplier takeIn;
    private final Membership membership;
    private final TrainerView view;
    private final NanoClock clock;
    private final IdleStrategy idle;
    private final Patience patience;
    private final Supplier<String> link;
    private final WorkerStats stats;
    private final SingleWriterCounter merged;

    /**
     * Creates the end of a link.
     *
     * @param receiver name of the node that receives
     * @param cause    what a living receiver that accepts nothing may be waiting for
     */
    PushChannel(
            String receiver,
            String cause,
            PushQueue queue,
            Sending sending,
            IntSupplier takeIn,
            Membership membership,
            TrainerView view,
            NanoClock clock,
            IdleStrategy idle,
            Patience patience,
            Supplier<String> link,
            WorkerStats stats,
            SingleWriterCounter merged) {
        this.receiver = receiver;
        this.cause = cause;
        this.doing = "pushing to " + receiver;
        this.queue = queue;
        this.sending = sending;
        this.takeIn = takeIn;
        this.membership = membership;
        this.view = view;
        this.clock = clock;
        this.idle = idle;
        this.patience = patience;
        this.link = link;
        this.stats = stats;
        this.merged = merged;
    }

    /** Starts the pushes of a table to this server with a round. */
    void begin(int table, long round) {
        queue.begin(table, round);
    }

    /** Claims a slot for a block; waits until there is one. */
    int claim() {
        int slot = queue.outbox().claim();
        return Outbox.NONE == slot ? awaitSlot(false) : slot;
    }

    /** Claims a slot for a block if there is one, otherwise returns {@link Outbox#NONE}. */
    int claimAtOnce() {
        return queue.outbox().claim();
    }

    /** Number of frames that may be sent early now; 0 unless the queue is empty and the budget is not used up. */
    int spare() {
        return queue.spare();
    }

    private int claimSmall() {
        int slot = queue.outbox().claimSmall();
        return Outbox.NONE == slot ? awaitSlot(true) : slot;
    }

    /** A slot's block, to be overwritten. */
    Block newBlock(int slot) {
        return queue.newBlock(slot);
    }

    /** A slot's block with its content. */
    Block block(int slot) {
        return queue.block(slot);
    }

    /** Puts a block that was written elsewhere into a slot. */
    void copyBlock(int slot, Block from) {
        queue.copyBlock(slot, from);
    }

    /** Returns a slot whose block is not sent. */
    void abandon(int slot) {
        queue.outbox().abandon(slot);
    }

    /** Publishes a slice's update, with the number that the update rule of its table needs, if any. */
    void publish(int slot, int table, int slice, int key, long tier, long priority, long tag) {
        queue.partial(slot, false);
        queue.tag(slot, tag);
        queue.publishBlock(slot, table, slice, key, tier, priority);
        sending.wake();
        sending.invoke();
    }

    /** Publishes a part of a slice's update in the open round. */
    void publishEarly(int slot, int table, int slice, int key, long priority) {
        queue.partial(slot, true);
        queue.tag(slot, Frame.NO_TAG);
        queue.publishBlock(slot, table, slice, key, 0, priority);
        sending.wake();
        sending.invoke();
    }

    /** Whether a slot that was taken back has a part of a slice. */
    boolean isPartial(int slot) {
        return queue.isPartial(slot);
    }

    /** Takes back the block last published for a slice if it still waits, or returns {@link Outbox#NONE}. */
    int takeBack(int key) {
        int slot = queue.outbox().takeBack(key);
        if (Outbox.NONE != slot) {
            merged.increment();
        }
        return slot;
    }

    void publishAgain(int slot, long priority) {
        queue.partial(slot, false);
        queue.publishAgain(slot, priority);
        sending.wake();
        sending.invoke();
    }

    /** Publishes the round commit of a table after all of its blocks. */
    void publishRoundCommit(int table) {
        queue.publishRoundCommit(claimSmall(), table);
        sending.wake();
        sending.invoke();
    }

    /** A small slot to write a frame in, for {@link #publishWritten}. */
    int claimWritten() {
        return claimSmall();
    }

    UnsafeBuffer buffer(int slot) {
        return queue.buffer(slot);
    }

    void publishWritten(int slot, int length) {
        queue.publishWritten(slot, length);
        sending.wake();
        sending.invoke();
    }

    /** Waits until the link has accepted all published frames. */
    void settle() {
        Outbox outbox = queue.outbox();
        sending.invoke();
        int backlog = outbox.backlog();
        if (0 == backlog) {
            return;
        }
        long startNs = clock.nanoTime();
        stats.beginWait(startNs);
        patience.begin(startNs);
        idle.reset();
        while (backlog > 0) {
            pause();
            int left = outbox.backlog();
            if (left < backlog) {
                patience.extend(clock.nanoTime());
            }
            backlog = left;
        }
        stats.endWait(clock.nanoTime());
    }

    private int awaitSlot(boolean small) {
        Outbox outbox = queue.outbox();
        long startNs = clock.nanoTime();
        stats.beginWait(startNs);
        idle.reset();
        patience.begin(startNs);
        int slot;
        do {
            pause();
            slot = small ? outbox.claimSmall() : outbox.claim();
        } while (Outbox.NONE == slot);
        stats.endWait(clock.nanoTime());
        return slot;
    }

    /** Restarts the deadline while the cluster waits for a dead node, because every wait may depend on that node. */
    private void pause() {
        membership.check();
        long nowNs = clock.nanoTime();
        stats.continueWait(nowNs);
        view.advance();
        if (view.isAwaiting()) {
            patience.extend(nowNs);
        }
        if (patience.isOver(nowNs)) {
            throw membership.fail(
                    Failure.TIMEOUT,
                    receiver + " has accepted no push for "
                            + TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs))
                            + " s although all nodes are alive; " + cause);
        }
        if (patience.isTime(nowNs)) {
            patience.report(receiver + " to accept " + queue.outbox().backlog() + " frames by " + link.get(), nowNs);
        }
        ClusterException.checkInterrupt(doing);
        idle.idle(sending.invoke() + takeIn.getAsInt());
    }
}
