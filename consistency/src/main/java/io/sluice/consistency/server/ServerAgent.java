package io.sluice.consistency.server;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.wire.Reception;
import io.sluice.messaging.counters.DutyCycle;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * The duty cycle of a server: take in pushes, let shards finalise, send what is due. Allocates nothing once the tables
 * are known.
 */
final class ServerAgent implements Agent {
    /** Frames taken in before what they made ready is sent: enough to fill a cycle, few enough to answer soon. */
    private static final int POLL_LIMIT = 32;

    private final Membership membership;
    private final Reception reception;
    private final Shard shard;
    private final ServerArrival arrival;
    private final RoundWait wait;
    private final NanoClock clock;
    private final DutyCycle cycle;

    ServerAgent(
            Membership membership,
            Reception reception,
            Shard shard,
            ServerArrival arrival,
            RoundWait wait,
            NanoClock clock,
            DutyCycle cycle) {
        this.arrival = arrival;
        this.wait = wait;
        this.membership = membership;
        this.reception = reception;
        this.shard = shard;
        this.clock = clock;
        this.cycle = cycle;
    }

    @Override
    public int doWork() {
        long nowNs = clock.nanoTime();
        cycle.begin(nowNs);
        membership.check();
        int work = reception.poll(POLL_LIMIT) + shard.work(nowNs) + arrival.work(nowNs);
        membership.progress(shard.version());
        wait.look(nowNs);
        cycle.worked(work);
        return work;
    }

    @Override
    public String roleName() {
        return "sluice-server";
    }
}
