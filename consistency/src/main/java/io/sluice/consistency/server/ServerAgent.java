package io.sluice.consistency.server;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.Inboxes;
import io.sluice.messaging.Patience;
import io.sluice.messaging.counters.DutyCycle;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * The duty cycle of a server: process pushes, finalise slices, send due frames, and report long waits.
 * Allocates nothing once the tables are known.
 */
final class ServerAgent implements Agent {
    /**
     * Maximum number of frames that a cycle processes before it sends: enough to fill the cycle, few enough to send
     * replies soon.
     */
    private static final int POLL_LIMIT = 32;

    private final Membership membership;
    private final Inboxes inboxes;
    private final Shard shard;
    private final Declarations declarations;
    private final long arrivalNs;
    private final NanoClock clock;
    private final DutyCycle cycle;
    private final Patience patience;
    private final long startNs;

    /** Whether this server joins a running job and has not requested slices yet. */
    private boolean isArriving;

    private long version = Long.MIN_VALUE;

    /**
     * Creates the agent.
     *
     * @param membership   membership of the server
     * @param inboxes      inboxes of frames
     * @param shard        shard of the server
     * @param declarations declarations of workers
     * @param arrivalNs    how long a server that joins waits for declarations, in nanoseconds
     * @param clock        monotonic clock by which {@code arrivalNs} is measured
     * @param cycle        counts duty cycles
     */
    ServerAgent(
            Membership membership,
            Inboxes inboxes,
            Shard shard,
            Declarations declarations,
            long arrivalNs,
            NanoClock clock,
            DutyCycle cycle) {
        this.membership = membership;
        this.inboxes = inboxes;
        this.shard = shard;
        this.declarations = declarations;
        this.arrivalNs = arrivalNs;
        this.clock = clock;
        this.cycle = cycle;
        this.patience = membership.patience(Patience.UNLIMITED);
        this.startNs = clock.nanoTime();
        this.isArriving = membership.plan().isOfNewcomer();
    }

    @Override
    public int doWork() {
        long nowNs = clock.nanoTime();
        cycle.begin(nowNs);
        membership.check();
        int work = inboxes.poll(POLL_LIMIT) + shard.work(nowNs);
        if (isArriving) {
            arrive(nowNs);
        }
        report(shard.version(), nowNs);
        cycle.worked(work);
        return work;
    }

    /**
     * Requests slices once all workers that take part have declared their tables and so have reached this server. Until
     * then no other node needs it, so if a worker does not reach it, only this server ends (decision 7).
     */
    private void arrive(long nowNs) {
        if (shard.isBuilt() && !declarations.areMissing()) {
            membership.workerSetChanges().ask(true);
            isArriving = false;
        } else if (nowNs - startNs > arrivalNs) {
            throw membership.fail(
                    Failure.TIMEOUT,
                    "received no table declarations from workers " + declarations.missing() + " within "
                            + TimeUnit.NANOSECONDS.toSeconds(arrivalNs) + " s: they have pushed nothing in that time,"
                            + " or do not reach " + membership.endpoint());
        }
    }

    private void report(long reached, long nowNs) {
        membership.progress(reached);
        if (reached != version) {
            version = reached;
            patience.begin(nowNs);
        } else if (patience.isTime(nowNs)) {
            patience.report(shard.awaited(), nowNs);
        }
    }

    @Override
    public String roleName() {
        return "sluice-server";
    }
}
