package io.sluice.messaging.outbox;

import io.sluice.messaging.Link;
import io.sluice.messaging.bandwidth.DeliveryMeter;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.bandwidth.StreamPositions;
import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;
import org.agrona.concurrent.NanoClock;

/**
 * Observes one link while its thread sends: measures the rate at which the path delivers, and publishes how many bytes
 * wait for the link, how long frames wait for its budget, and how many bytes are in flight.
 *
 * <p>If no frame waits, or frames wait for the budget alone, the path could carry more than the link sends: such
 * samples of the rate count as limited by the application. A full in-flight window counts as a limit of the path.
 *
 * <p>For the sending thread; any thread may read the rate. Allocates nothing once open.
 */
public final class LinkWatch {
    /** Time between two observations. */
    public static final long INTERVAL_NS = 1_000_000;

    /** Time between two updates of the queue's counters, since an update may read every frame. */
    private static final long SHOW_NS = 50_000_000;

    private static final int REPORTS_IN_WINDOW = 4;

    private final Link link;
    private final NanoClock clock;
    private final StreamPositions positions;
    private final DeliveryMeter meter;
    private final Pacing pacing;
    private final Backlog backlog;
    private final int longest;
    private final SingleWriterCounter rate;
    private final SingleWriterCounter inFlight;
    private final SingleWriterCounter queuedFrames;
    private final SingleWriterCounter queuedBytes;
    private final SingleWriterCounter queueAge;
    private final SingleWriterCounter budgetUsed;
    private final SingleWriterCounter budgetWait;
    private boolean started;
    private long lookedNs;
    private long shownNs;
    private boolean heldBack;

    /**
     * Begins to watch a link that was just opened.
     *
     * @param link      link to watch
     * @param clock     clock of its budgets
     * @param positions positions of its stream, or null over shared memory, where there is no rate to measure
     * @param pacing    pacing of the link
     * @param backlog   frames that wait for the link
     * @param longest   length of the longest frame that it will carry, in bytes
     * @param queues    whether frames may have to wait, so that the queue and the budget are published
     */
    public LinkWatch(
            Link link,
            NanoClock clock,
            StreamPositions positions,
            Pacing pacing,
            Backlog backlog,
            int longest,
            boolean queues) {
        this.link = link;
        this.clock = clock;
        this.positions = positions;
        this.meter = positions == null ? null : new DeliveryMeter(positions);
        this.pacing = pacing;
        this.backlog = backlog;
        this.longest = longest;
        boolean budgeted = queues && pacing.isBudgeted();
        rate = counter(CounterType.LINK_RATE, positions != null);
        inFlight = counter(CounterType.LINK_IN_FLIGHT, positions != null);
        queuedFrames = counter(CounterType.LINK_QUEUED_FRAMES, queues);
        queuedBytes = counter(CounterType.LINK_QUEUED_BYTES, queues);
        queueAge = counter(CounterType.LINK_QUEUE_AGE, queues);
        budgetUsed = counter(CounterType.LINK_BUDGET_USED, budgeted);
        budgetWait = counter(CounterType.LINK_BUDGET_WAIT, budgeted);
    }

    private SingleWriterCounter counter(CounterType type, boolean needed) {
        CounterGroup group = link.counters().group();
        return needed ? group.counter(type) : null;
    }

    /** The link. */
    public Link link() {
        return link;
    }

    /** The pacing of the link. */
    public Pacing pacing() {
        return pacing;
    }

    /**
     * Whether the budget alone delays a frame now, so that the path is not the limit.
     *
     * @param length length of the frame, in bytes
     * @return false without a budget
     */
    public boolean isHeldBack(int length) {
        return pacing.isBudgeted() && pacing.holdsBack(length, clock.nanoTime());
    }

    /** The clock of its budgets and of the age of its queue. */
    public NanoClock clock() {
        return clock;
    }

    /** The estimated rate of the path; null over shared memory. */
    public DeliveryRate rate() {
        return meter == null ? null : meter.rate();
    }

    /** Whether frames wait, or are in the log and not sent to the network yet. */
    public boolean isSending() {
        return backlog.frames() > 0 || (positions != null && positions.refresh() && positions.sent() < link.position());
    }

    /**
     * Whether the receiver is behind: the bytes that it has not reported are more than a receiver that reads at once
     * leaves unreported. Such a receiver leaves a quarter of its window unreported (Aeron 1.51), and the bytes that
     * arrive while it reads.
     *
     * @return false over shared memory, and before a receiver is connected
     */
    public boolean isUnread() {
        return positions != null
                && positions.refresh()
                && positions.sent() - positions.acknowledged()
                        > positions.window() / REPORTS_IN_WINDOW + link.lengthInLog(longest);
    }

    /**
     * Records that the link has accepted a frame. The receiver's window is derived from its first limit, which must be
     * read before the receiver has consumed much.
     */
    public void onSent() {
        if (positions != null && positions.window() == 0) {
            positions.refresh();
        }
    }

    /** Observes the link if the interval has passed. Call it in every duty cycle, after sending. */
    public void look() {
        if (meter == null && queuedFrames == null) {
            return;
        }
        long nowNs = clock.nanoTime();
        if (started && nowNs - lookedNs < INTERVAL_NS) {
            return;
        }
        boolean waits = backlog.frames() > 0;
        boolean held = waits && pacing.holdsBack(longest, nowNs);
        if (meter != null) {
            meter.poll(nowNs, link.position(), waits, held);
        }
        if (budgetWait != null && held && heldBack) {
            budgetWait.add(nowNs - lookedNs);
        }
        heldBack = held;
        lookedNs = nowNs;
        if (!started || nowNs - shownNs >= SHOW_NS) {
            show(nowNs);
            shownNs = nowNs;
        }
        started = true;
    }

    private void show(long nowNs) {
        if (meter != null) {
            rate.set(meter.rate().bytesPerSecond());
            inFlight.set(Math.max(0, meter.unacknowledged()));
        }
        if (queuedFrames != null) {
            long oldestNs = backlog.oldestNs();
            queuedFrames.set(backlog.frames());
            queuedBytes.set(backlog.bytes());
            queueAge.set(oldestNs == Long.MAX_VALUE ? 0 : Math.max(0, nowNs - oldestNs));
        }
        if (budgetUsed != null) {
            budgetUsed.set(pacing.used(nowNs));
        }
    }
}
