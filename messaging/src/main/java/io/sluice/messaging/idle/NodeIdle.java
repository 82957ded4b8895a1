package io.sluice.messaging.idle;

import java.lang.invoke.VarHandle;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * The idle strategy of a thread of a node that has no frame to receive and cannot send one. The thread polls for work
 * ten times, yields while its {@link IdlePeriods} are short, and then sleeps until the {@link Bell} rings. A wait may
 * also end without a bell because time passes, for example when a budget refills. So the thread also polls at growing
 * intervals of up to 4 ms.
 *
 * <p>For one thread, except {@link #wake}.
 */
public final class NodeIdle implements IdleStrategy {
    private static final int SPINS = 10;
    private static final int YIELDS = 20;
    private static final long MIN_SLEEP_NS = 250_000;
    private static final long MAX_SLEEP_NS = 4_000_000;

    private final Bell bell;
    private final long minSleepNs;
    private final long maxSleepNs;
    private final Timespec timeout = new Timespec();
    private final IdlePeriods idlePeriods = new IdlePeriods();
    private int looks;
    private long sleepNs;
    private int announcement;
    private volatile boolean announced;

    /** Creates the strategy of a thread whose sleeps become longer while nothing rings. */
    NodeIdle(Bell bell, long minSleepNs, long maxSleepNs) {
        this.bell = bell;
        this.minSleepNs = minSleepNs;
        this.maxSleepNs = maxSleepNs;
        this.sleepNs = minSleepNs;
    }

    /**
     * The strategy of a thread that waits for the driver or for other nodes, and for nothing inside its process.
     *
     * @param bell     of the driver
     * @param strategy strategy without a bell
     * @return a strategy that waits for the bell; the given one if there is no bell, or it does not back off
     */
    public static IdleStrategy on(Bell bell, IdleStrategy strategy) {
        return bell.isOpen() && strategy instanceof BackoffIdleStrategy
                ? new NodeIdle(bell, MIN_SLEEP_NS, MAX_SLEEP_NS)
                : strategy;
    }

    /** Wakes this thread if it sleeps, because another thread of the process has work for it. For any thread. */
    public void wake() {
        VarHandle.fullFence(); // either the sleeping thread reads the new work, or this call reads its announcement
        if (announced) {
            bell.ringNodes();
        }
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            idlePeriods.end();
            reset();
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        idlePeriods.begin();
        if (looks < SPINS) {
            looks++;
            Thread.onSpinWait();
        } else if (looks < SPINS + YIELDS && idlePeriods.areShort()) {
            looks++;
            Thread.yield();
        } else if (!announced || bell.hasRung(announcement)) {
            announcement = bell.announceNode();
            announced = true; // return without sleeping, so that the thread polls once more before it sleeps
        } else {
            timeout.set(sleepNs);
            bell.sleepAsNode(announcement, timeout.address());
            sleepNs = Math.min(2 * sleepNs, maxSleepNs);
        }
    }

    @Override
    public void reset() {
        looks = 0;
        idlePeriods.drop();
        sleepNs = minSleepNs;
        if (announced) {
            announced = false;
        }
    }

    @Override
    public String alias() {
        return "bell";
    }
}
