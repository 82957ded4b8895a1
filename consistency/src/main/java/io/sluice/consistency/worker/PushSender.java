package io.sluice.consistency.worker;

import io.sluice.codecs.Block;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Link;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.Tally;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.Outbox;
import io.sluice.messaging.outbox.Pacing;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Sends what waits for one link. Here, and only here, frames get their round, their sequence number and their seal, and
 * are entered in the ledger of their table: the order is not known before.
 *
 * <p>For the sending thread. Allocates nothing.
 */
final class PushSender {
    /** Frames sent before other links get their turn. */
    private static final int LIMIT = 16;

    private static final int NOBODY = -1;

    private final FollowedLink<LinkWatch> way;
    private Link link;
    private final PushQueue queue;
    private final FrameWriter writer;
    private final int receiver;
    private LinkWatch watch;
    private Pacing pacing;
    private final int longest;
    private final boolean selective;
    private final boolean managed;
    private final ClockLedger[] ledgers;

    /** Whether the receiver has left while the job goes on. */
    private final BooleanSupplier hasGone;

    private boolean closed;

    /** The receiver's life that this link has reached; for the trainer's thread to read. */
    private volatile int life = NOBODY;

    /** Null where nothing that was pushed can be needed again. */
    private PushLog log;

    /** Null where servers do not come back. */
    private Comeback comeback;

    /** Null where nothing can be lost on the way. */
    private PushRepair repair;

    private int inHand = Outbox.NONE;
    private int length;
    private long bytesBefore;

    /**
     * Makes a sender.
     *
     * @param way       to the receiver: the link to send on, with its watch, which says when that may send; none as
     *                  long as nobody has the receiver's place
     * @param queue     what waits for it
     * @param writer    of the sending thread
     * @param receiver  node at the other end
     * @param longest   frame that there is, in bytes
     * @param selective whether to take a frame only when the link has room for it, so that until then others may
     *                  overtake it
     * @param managed   whether the trainer wants to know what is left of the budget
     * @param tables    number of tables
     * @param firstRound to be sent of each
     * @param hasGone   whether the receiver has left while the job goes on: what still waits is of no use to anybody
     */
    PushSender(
            FollowedLink<LinkWatch> way,
            PushQueue queue,
            FrameWriter writer,
            int receiver,
            int longest,
            boolean selective,
            boolean managed,
            int tables,
            long firstRound,
            BooleanSupplier hasGone) {
        this.way = way;
        this.queue = queue;
        this.writer = writer;
        this.receiver = receiver;
        this.longest = longest;
        this.selective = selective;
        this.managed = managed;
        this.hasGone = hasGone;
        this.ledgers = new ClockLedger[tables];
        Arrays.setAll(ledgers, table -> new ClockLedger(firstRound));
        use(way.link());
    }

    private void use(LinkWatch newWatch) {
        watch = newWatch;
        link = null == watch ? null : watch.link();
        pacing = null == watch ? null : watch.pacing();
    }

    /**
     * How to go on with a server that has come back.
     *
     * @param cluster says from which clock on
     * @param pushes  that go to it once more
     */
    record Comeback(Supplier<ClusterState> cluster, RetainedPushes pushes) {}

    /** Keeps what is sent from now on. */
    void keep(PushLog newLog) {
        log = newLog;
    }

    /** Expects that the server may come back; what is sent is kept. */
    void expect(Comeback newComeback) {
        comeback = newComeback;
    }

    /** Whether the server may miss frames. */
    boolean expectsLoss() {
        return null != repair;
    }

    /** Expects that the server may miss frames; what is sent over a network is kept. */
    void expect(PushRepair newRepair) {
        repair = newRepair;
    }

    /**
     * Goes over to the one that has the receiver's place now. If it has come back, frames of the old link that have not
     * arrived go out again by the new one, with all the others; if it is another, nothing that waits is for it.
     */
    private void follow() {
        if (!way.isLeftBehind()) {
            return;
        }
        if (null == comeback) {
            discard();
        }
        reopen();
        begin();
    }

    /** Has a link to one that has the place now. */
    private void begin() {
        if (null != repair) {
            repair.forget();
        }
        if (null != comeback) {
            ClusterState now = comeback.cluster().get();
            comeback.pushes().repeat(now.member(receiver).start().clock());
        }
    }

    private void reopen() {
        bytesBefore = bytes();
        closeLink();
        use(way.reopen());
        closed = false;
    }

    /**
     * The server asks for a table from a frame on. If the link leads nowhere, another takes its place.
     *
     * @return false if it cannot be asked for
     */
    boolean ask(int table, long round, int sequence) {
        if (null == repair || null == link || !link.isUdp()) {
            return false;
        }
        boolean isReturning = null != comeback && comeback.pushes().isRepeating();
        if (isReturning || closed || way.isLeftBehind()) {
            return true; // all that it can miss goes out anyway, or is another's
        }
        long nowNs = watch.clock().nanoTime();
        if (repair.ask(table, round, sequence, link.isConnected(), nowNs)) {
            int before = way.life();
            reopen();
            repair.reopened(nowNs);
            if (before != way.life()) {
                begin(); // it has come back in this very moment
            }
        }
        return true;
    }

    private void closeLink() {
        if (!closed && null != link) {
            link.close();
        }
        closed = true;
    }

    /** Whether what is published from now on reaches the one that has the place in this life of it. */
    boolean leadsTo(int lifeNow) {
        return life == lifeNow;
    }

    /** Numbers what is sent of each table from a round on, before anything is. */
    void goOnFrom(long round) {
        for (ClockLedger ledger : ledgers) {
            ledger.open(round);
        }
    }

    /** Bytes sent so far, over this link and those before it. */
    long bytes() {
        return bytesBefore + (null == link ? 0 : link.bytes());
    }

    Link link() {
        return link;
    }

    /** Counts frames that were merged with one that waited; null as long as there is no link. */
    Tally merged() {
        return null == link ? null : link.counters().group().tally(CounterType.LINK_FRAMES_MERGED);
    }

    /** What the link is measured to carry; null for one in shared memory, and for none. */
    DeliveryRate rate() {
        return null == watch ? null : watch.rate();
    }

    /** Sends what the link, its budget and a fair share of the thread admit; returns the number of frames. */
    int work() {
        if (hasGone.getAsBoolean()) {
            return discard();
        }
        follow();
        if (null == link) {
            return 0;
        }
        if (life != way.life() && link.isConnected()) {
            life = way.life();
        }
        int sent = 0;
        if (null != comeback) {
            if (comeback.pushes().isRepeating()) {
                sent = comeback.pushes().work(pacing, LIMIT);
                watch.look();
                return sent;
            }
        }
        if (null != repair && repair.isRepeating()) {
            sent = repair.work(pacing, LIMIT, watch.clock().nanoTime());
            watch.look();
            return sent;
        }
        while (sent < LIMIT && (Outbox.NONE != inHand || take()) && send()) {
            sent++;
        }
        watch.look();
        if (managed) {
            queue.spare(spare());
        }
        return sent;
    }

    /** Others have what the receiver had: marks of rounds that it has ended without them may wait, or requests. */
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
            queue.release(slot); // an update has undone the one that waited
        }
        return false;
    }

    private boolean mayTake() {
        return !selective || ((link.room() > 0 || link.isClosed()) && pacing.admits(longest));
    }

    private int write(int slot) {
        if (queue.isWritten(slot)) {
            return queue.writtenLength(slot);
        }
        int table = queue.outbox().lane(slot);
        ClockLedger ledger = ledgers[table];
        if (queue.firstRound(slot) > ledger.round()) {
            ledger.open(queue.firstRound(slot)); // before, others had its slices
        }
        if (queue.outbox().isFence(slot)) {
            int bytes = writer.to(receiver).mark(queue.buffer(slot), table, ledger);
            ledger.open(ledger.round() + 1);
            return bytes;
        }
        Block block = queue.block(slot);
        if (0 == block.count()) {
            return 0;
        }
        return writer.to(receiver)
                .data(queue.outbox().frame(slot), block, table, queue.slice(slot), queue.isPartial(slot), ledger);
    }

    /** Asks the budget again: other links may have used it since this frame was taken and the log refused it. */
    private boolean send() {
        if (!pacing.offer(queue.buffer(inHand), 0, length)) {
            return false;
        }
        watch.onSent();
        if (null != log && (null != comeback || link.isUdp())) {
            log.record(queue.buffer(inHand), length);
        }
        queue.spare(0);
        queue.release(inHand);
        inHand = Outbox.NONE;
        return true;
    }
}
