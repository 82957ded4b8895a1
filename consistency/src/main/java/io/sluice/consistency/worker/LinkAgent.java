package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.LinkClosedException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * A duty that uses links on another thread than the trainer's. What goes wrong ends the duty, and is found by the
 * trainer in the membership.
 */
final class LinkAgent implements Agent {
    /** Links are closed before Aeron gives the reason: so long another agent may take to find it. */
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
     * @param roleName   of its thread
     * @param duty       does some work and says how much
     * @param membership to be told of failures
     * @param clock      for the time that a cause may take to be found
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

    /** Looks, and never waits: on a shared thread it would be the wait of the very agent that finds the cause. */
    private void awaitCause() {
        if (clock.nanoTime() - closedNs > CAUSE_PATIENCE_NS) {
            failed = true;
            membership.fail(Failure.PEER_LOST, closed.getMessage()); // unless another failure came first
        }
    }

    @Override
    public String roleName() {
        return roleName;
    }
}
