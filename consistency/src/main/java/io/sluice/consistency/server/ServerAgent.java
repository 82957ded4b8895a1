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
 * The duty cycle of a server: take in pushes, let shards finalise, send what is due, and report what takes long.
 * Allocates nothing once the tables are known.
 */
final class ServerAgent implements Agent {
    /** Frames taken in before what they made ready is sent: enough to fill a cycle, few enough to answer soon. */
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

    /** Whether this server has arrived while the job runs, and has not asked for slices yet. */
    private boolean isArriving;

    private long version = Long.MIN_VALUE;

    /**
     * Begins.
     *
     * @param membership   of the server
     * @param inboxes    of frames
     * @param shard        of the server
     * @param declarations of workers
     * @param arrivalNs    for which a server that arrives waits for them, in nanoseconds
     * @param clock        by which that passes
     * @param cycle        counts
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
     * Asks for slices once all workers that take part have declared their tables: then each of them reaches this
     * server. Until then no other node needs it, so if one does not reach it, it ends alone (decision 10).
     */
    private void arrive(long nowNs) {
        if (shard.isBuilt() && !declarations.areMissing()) {
            membership.workerSetChanges().ask(true);
            isArriving = false;
        } else if (nowNs - startNs > arrivalNs) {
            throw membership.fail(
                    Failure.TIMEOUT,
                    "was not told what the tables are by workers " + declarations.missing() + " within "
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
            patience.tell(shard.awaited(), nowNs);
        }
    }

    @Override
    public String roleName() {
        return "sluice-server";
    }
}
