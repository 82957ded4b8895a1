package io.sluice.consistency.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.aeron.Aeron;
import io.sluice.consistency.membership.Event;
import io.sluice.consistency.membership.EventLog;
import io.sluice.consistency.membership.LocalMembers;
import io.sluice.messaging.api.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Running coordinators ignore the system's clock: no part of the engine reads it again. */
@Timeout(240)
class SteadyClockTest {
    @TempDir
    private Path path;

    /** The log of a member that decides nothing. */
    private static final ReplicatedRecord.Term IDLE = new ReplicatedRecord.Term() {
        @Override
        public void begin(EventLog events, long term) {}

        @Override
        public void decided(Event event, long ofTerm, int number) {}

        @Override
        public boolean isOpen() {
            return false;
        }

        @Override
        public int work() {
            return 0;
        }

        @Override
        public void end() {}
    };

    @Test
    void ignoresChangesOfTheSystemClock() {
        AtomicLong timeOfDay = new AtomicLong(1_000_000);
        AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE); // monotonic clocks may overflow
        SteadyClock clock = new SteadyClock(timeOfDay::get, nowNs::get);
        timeOfDay.addAndGet(TimeUnit.HOURS.toMillis(1));
        assertEquals(1_000_000, clock.time());
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(2));
        timeOfDay.addAndGet(-TimeUnit.HOURS.toMillis(2));
        assertEquals(1_002_000, clock.time());
        assertEquals(TimeUnit.MILLISECONDS.toNanos(1_002_000), clock.timeNanos(), "as elections use it");
    }

    @Test
    void allPartsOfAMemberUseIt() {
        List<Endpoint> alone = LocalMembers.free(1);
        ReplicatedRecord record = new ReplicatedRecord(0, IDLE, LogLimits.DEFAULT);
        try (MemberFolder folder = MemberFolder.open(path);
                Consensus consensus = Consensus.join(alone, 0, folder, LogLimits.DEFAULT, record, _ -> {});
                DecisionOffers offers =
                        new DecisionOffers(folder.driver().toString(), 0, SystemNanoClock.INSTANCE, _ -> {})) {
            assertSame(SteadyClock.INSTANCE, consensus.driver.context().epochClock());
            assertSame(SteadyClock.INSTANCE, consensus.archive.context().epochClock());
            assertSteady(consensus.archive.context().aeron());
            assertSame(SteadyClock.INSTANCE, consensus.module.context().epochClock());
            assertSame(SteadyClock.INSTANCE, consensus.module.context().clusterClock());
            assertSteady(consensus.module.context().aeron());
            assertSteady(consensus.module.context().archiveContext().aeron());
            assertSame(SteadyClock.INSTANCE, consensus.container.context().epochClock());
            assertSteady(consensus.container.context().aeron());
            assertSteady(consensus.container.context().archiveContext().aeron());
            try (Aeron client = consensus.pruning.connection().aeron()) {
                assertSteady(client);
            }
            try (Aeron client = offers.connection().aeron()) {
                assertSteady(client);
            }
        }
    }

    private static void assertSteady(Aeron client) {
        assertSame(SteadyClock.INSTANCE, client.context().epochClock());
    }
}
