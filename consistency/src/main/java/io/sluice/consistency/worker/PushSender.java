package io.sluice.consistency.worker;

import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Link;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.Outbox;
import io.sluice.messaging.outbox.Pacing;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;

/**
 * Sends the queue of one link. Frames get their round, sequence number and seal here, and enter the ledger of their
 * table, because their order is not known earlier.
 *
 * <p>For the sending thread. Allocates nothing.
 */
class PushSender {
    /** Maximum number of frames sent before other links get their turn. */
    private static final int LIMIT = 16;

    private static final int NO_RECEIVER = -1;

    private final FollowedLink<LinkWatch> followed;
    private final PushQueue queue;
    private final FrameWriter writer;
    private final int receiver;
    private LinkWatch watch;

    /** Link to the receiver; null if there is no receiver. */
    private Link link;

    private Pacing pacing;
    private final int longest;
    private final boolean managed;
    private final ClockLedger[] ledgers;

    /** Whether the receiver has left while the job continues. */
    private final BooleanSupplier hasGone;

    private boolean closed;

    /** The incarnation of the receiver that this link has reached; read by the trainer's thread. */
    private volatile int incarnation = NO_RECEIVER;

    private int inHand = Outbox.NONE;
    private int length;

    /** What has been sent; read by the trainer's thread. */
    private volatile Sent sent = new Sent(null, 0);

    /** The link, and the bytes that its predecessors sent. */
    private record Sent(Link link, long before) {
        long bytes() {
            return before + (null == link ? 0 : link.bytes());
        }
    }

    /**
     * The parts of a sender.
     *
     * @param followed link to the receiver, with its watch, which decides when to send; none while the receiver's place
     *            is empty
     * @param queue frames that wait for the link
     * @param writer writer of the sending thread
     * @param receiver node at the other end
     * @param longest length of the longest frame, in bytes
     * @param managed whether the trainer reads the remaining budget
     * @param tables number of tables
     * @param firstRound first round to send of each table
     * @param hasGone whether the receiver has left while the job continues, so waiting frames are void
     */
    record Parts(
            FollowedLink<LinkWatch> followed,
            PushQueue queue,
            FrameWriter writer,
            int receiver,
            int longest,
            boolean managed,
            int tables,
            long firstRound,
            BooleanSupplier hasGone) {}

    PushSender(Parts parts) {
        this.followed = parts.followed;
        this.queue = parts.queue;
        this.writer = parts.writer;
        this.receiver = parts.receiver;
        this.longest = parts.longest;
        this.managed = parts.managed;
        this.hasGone = parts.hasGone;
        this.ledgers = new ClockLedger[parts.tables];
        Arrays.setAll(ledgers, table -> new ClockLedger(parts.firstRound));
        use(followed.link());
    }

    private void use(LinkWatch newWatch) {
        watch = newWatch;
        link = null == watch ? null : watch.link();
        pacing = null == watch ? null : watch.pacing();
        sent = new Sent(link, bytes());
    }

    /** Switches to the node that holds the receiver's place now. */
    private void follow() {
        if (followed.isLeftBehind()) {
            change();
        }
    }

    /** Discards waiting frames, because another node holds the receiver's place. */
    void change() {
        discard();
        reopen();
    }

    /** Opens a link to the node that holds the place now. */
    final void reopen() {
        closeLink();
        use(followed.reopen());
        closed = false;
    }

    /**
     * Handles the server's request for the frames of a table, from a given frame on. Replaces a broken link.
     *
     * @return false if the frame cannot be requested
     */
    boolean ask(int table, long round, int sequence) {
        return false;
    }

    /** Whether repeated frames must be sent before new ones. */
    boolean isRepeating() {
        return false;
    }

    /** Sends repeated frames, up to a limit; returns their number. */
    int repeat(int limit) {
        return 0;
    }

    /** Records a frame that was sent on the link. */
    void onSent(DirectBuffer frame, int bytes) {}

    private void closeLink() {
        if (!closed && null != link) {
            link.close();
        }
        closed = true;
    }

    /** Whether frames published from now on reach this incarnation of the place. */
    boolean leadsTo(int incarnationNow) {
        return incarnation == incarnationNow;
    }

    /** Sets the first round of each table, before any frame is sent. */
    void continueFrom(long round) {
        for (ClockLedger ledger : ledgers) {
            ledger.open(round);
        }
    }

    /** Number of bytes sent so far, over this link and its predecessors. For any thread. */
    long bytes() {
        return sent.bytes();
    }

    final Link link() {
        return link;
    }

    final Pacing pacing() {
        return pacing;
    }

    final long nowNs() {
        return watch.clock().nanoTime();
    }

    final int receiver() {
        return receiver;
    }

    /** The incarnation of the receiver to which the link leads. */
    final int opened() {
        return followed.incarnation();
    }

    /** Whether the link leads to no node, or to a former incarnation of the place. */
    final boolean isLeftBehind() {
        return closed || followed.isLeftBehind();
    }

    /** Counts frames that were merged with a waiting one; null without a link. */
    SingleWriterCounter merged() {
        return null == link ? null : link.counters().group().counter(CounterType.LINK_FRAMES_MERGED);
    }

    /** The measured rate of the link; null in shared memory and without a link. */
    DeliveryRate rate() {
        return null == watch ? null : watch.rate();
    }

    /** Sends what the link and its budget admit, within a fair share of the thread; returns the number of frames. */
    int work() {
        if (hasGone.getAsBoolean()) {
            return discard();
        }
        follow();
        if (null == link) {
            return 0;
        }
        if (incarnation != followed.incarnation() && link.isConnected()) {
            incarnation = followed.incarnation();
        }
        int frames = 0;
        if (isRepeating()) {
            frames = repeat(LIMIT);
        } else {
            while (frames < LIMIT && (Outbox.NONE != inHand || take()) && send()) {
                frames++;
            }
            queue.spare(managed ? spare() : 0);
        }
        watch.look();
        return frames;
    }

    /** Discards waiting round commits and requests: the receiver's slices have other owners now. */
    private int discard() {
        closeLink();
        if (Outbox.NONE != inHand) {
            queue.release(inHand);
            inHand = Outbox.NONE;
        }
        int discarded = 0;
        for (int slot = queue.outbox().take();
                Outbox.NONE != slot;
                slot = queue.outbox().take()) {
            queue.release(slot);
            discarded++;
        }
        return discarded;
    }

    private int spare() {
        return Outbox.NONE == inHand && link.room() > 0 ? pacing.spare(longest) : 0;
    }

    private boolean take() {
        Outbox outbox = queue.outbox();
        while (outbox.backlog() > 0 && mayTake()) {
            int slot = outbox.take();
            if (Outbox.NONE == slot) {
                return false;
            }
            length = write(slot);
            if (length > 0) {
                inHand = slot;
                return true;
            }
            queue.release(slot); // an update has cancelled the waiting block
        }
        return false;
    }

    private boolean mayTake() {
        if (link.room() <= 0 && !link.isClosed()) {
            link.stall();
            return false;
        }
        return pacing.admits(longest);
    }

    private int write(int slot) {
        if (queue.isWritten(slot)) {
            return queue.writtenLength(slot);
        }
        int table = queue.outbox().lane(slot);
        ClockLedger ledger = ledgers[table];
        if (queue.firstRound(slot) > ledger.round()) {
            ledger.open(queue.firstRound(slot)); // other servers owned its slices before that round
        }
        if (queue.outbox().isFence(slot)) {
            int bytes = writer.to(receiver).roundCommit(queue.buffer(slot), table, ledger);
            ledger.open(ledger.round() + 1);
            return bytes;
        }
        if (queue.isCancelled(slot)) {
            return 0;
        }
        return writer.to(receiver)
                .data(
                        queue.outbox().frame(slot),
                        queue.block(slot),
                        table,
                        queue.slice(slot),
                        queue.isPartial(slot),
                        queue.tag(slot),
                        ledger);
    }

    /** Checks the budget again: other links may have used it since the log refused this frame. */
    private boolean send() {
        if (!pacing.offer(queue.buffer(inHand), 0, length)) {
            return false;
        }
        watch.onSent();
        onSent(queue.buffer(inHand), length);
        queue.spare(0);
        queue.release(inHand);
        inHand = Outbox.NONE;
        return true;
    }
}
