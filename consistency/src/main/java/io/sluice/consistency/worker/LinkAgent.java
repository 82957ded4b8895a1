package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.LinkClosedException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * A duty that uses links on a thread other than the trainer's. An exception ends the duty; the membership reports the
 * exception to the trainer.
 */
final class LinkAgent implements Agent {
    /** Time that another agent has to find the reason, because Aeron closes links before it reports the reason. */
    private static final long CAUSE_PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final String roleName;
    private final IntSupplier duty;
    private final Membership membership;
    private final NanoClock clock;
    private LinkClosedException closed;
    private long closedNs;
    private boolean failed;

    /**
     * Creates an agent.
     *
     * @param roleName   role name of its thread
     * @param duty       called in each duty cycle; does work and returns the amount
     * @param membership receives failures
     * @param clock      monotonic clock by which the wait for the reason of a closed link is limited
     */
    LinkAgent(String roleName, IntSupplier duty, Membership membership, NanoClock clock) {
        this.roleName = roleName;
        this.duty = duty;
        this.membership = membership;
        this.clock = clock;
    }

    @Override
    public int doWork() {
        if (failed) {
            return 0;
        }
        if (null != closed) {
            awaitCause();
            return 0;
        }
        try {
            return duty.getAsInt();
        } catch (LinkClosedException e) {
            closed = e;
            closedNs = clock.nanoTime();
        } catch (RuntimeException | Error e) {
            failed = true;
            membership.failed(e);
        }
        return 0;
    }

    /**
     * Checks once per cycle instead of blocking: on a shared thread, blocking would delay the agent that finds the
     * reason.
     */
    private void awaitCause() {
        if (clock.nanoTime() - closedNs > CAUSE_PATIENCE_NS) {
            failed = true;
            membership.fail(Failure.PEER_LOST, closed.getMessage()); // has no effect after an earlier failure
        }
    }

    @Override
    public String roleName() {
        return roleName;
    }
}
