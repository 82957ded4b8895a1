package io.sluice.consistency.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.logbuffer.Header;
import io.aeron.protocol.DataHeaderFlyweight;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.membership.Event;
import io.sluice.consistency.membership.EventCodec;
import io.sluice.consistency.membership.EventLog;
import io.sluice.consistency.membership.LocalMembers;
import io.sluice.consistency.membership.StartPoint;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.messaging.api.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three members with small logs. The logs are bounded, and a member that was down catches up from a short log. */
@Timeout(240)
class ReplicatedRecordTest {
    private static final int MEMBERS = 3;
    private static final LogLimits SMALL = new LogLimits(100, 1 << 16, 1);

    /** Decisions of about 128 bytes each, which fill three files of the log. */
    private static final int MANY = 1_500;

    /** Decisions that fit into one file of the log. */
    private static final int FEW = 300;

    /** Two kept records and a new one, in two recordings each, and the log's files: kept, in between and in use. */
    private static final int MOST_FILES = 2 * 3 + 4;

    @TempDir
    private Path folder;

    private final List<Endpoint> addresses = LocalMembers.free(MEMBERS);
    private final Member[] members = new Member[MEMBERS];
    private long decided;

    /** A member, which decides the events of the test while it leads. */
    private static final class Member implements ReplicatedRecord.Term, AutoCloseable {
        private final MemberFolder folder;
        private final ReplicatedRecord record;
        private final Consensus consensus;
        private final Queue<Event> given = new ConcurrentLinkedQueue<>();
        private EventLog led;
        private DecisionOffers offers;
        private long term;
        private volatile boolean leads;

        Member(List<Endpoint> addresses, int member, Path path) {
            folder = MemberFolder.open(path);
            record = new ReplicatedRecord(member, this, SMALL);
            consensus = Consensus.join(addresses, member, folder, SMALL, record, _ -> {});
        }

        @Override
        public void begin(EventLog soFar, long newTerm) {
            led = soFar;
            term = newTerm;
            offers = new DecisionOffers(folder.driver().toString(), term, SystemNanoClock.INSTANCE, _ -> {});
            leads = true;
        }

        @Override
        public void decided(Event event, long ofTerm, int number) {
            if (ofTerm == term) {
                offers.confirmed(number);
            }
            led.apply(event);
        }

        @Override
        public boolean isOpen() {
            return leads;
        }

        @Override
        public int work() {
            for (Event next = given.poll(); null != next; next = given.poll()) {
                offers.append(next);
            }
            return offers.work();
        }

        @Override
        public void end() {
            leads = false;
            CloseHelper.quietClose(offers);
        }

        /** The number of decisions processed, read after the flag that publishes it. */
        long committed() {
            return record.decisions() < 0 ? -1 : record.state().saved().committed();
        }

        @Override
        public void close() {
            CloseHelper.closeAll(consensus, folder);
        }
    }

    /** A member that never leads. */
    private static final class Following implements ReplicatedRecord.Term {
        @Override
        public void begin(EventLog record, long term) {
            throw new IllegalStateException("the member leads");
        }

        @Override
        public void decided(Event event, long ofTerm, int number) {
            throw new IllegalStateException("the member leads");
        }

        @Override
        public boolean isOpen() {
            return false;
        }

        @Override
        public int work() {
            return 0;
        }

        @Override
        public void end() {
            // the member has never led
        }
    }

    private Path path(int member) {
        return folder.resolve("member-" + member);
    }

    private void start(int member) {
        members[member] = new Member(addresses, member, path(member));
    }

    private void stop(int member) {
        members[member].close();
        members[member] = null;
    }

    private Stream<Member> here() {
        return Arrays.stream(members).filter(Objects::nonNull);
    }

    private Member leader() {
        Deadline.await("a member leads", () -> here().anyMatch(Member::isOpen));
        return here().filter(Member::isOpen).findFirst().orElseThrow();
    }

    private int follower() {
        Member leader = leader();
        return members[0] == leader ? 1 : 0;
    }

    /** Decides, and decides once more after all members have written the record, so that the record is complete. */
    private void decide(int count) {
        give(count);
        Deadline.await(
                "all members have written the record",
                () -> here().allMatch(member -> member.record.decisions() < SMALL.decisions()));
        give(1);
    }

    private void give(int count) {
        Member leader = leader();
        for (int i = 0; i < count; i++) {
            decided++;
            leader.given.add(new Event.Saved(decided, decided, decided - 1));
        }
        awaitAll();
    }

    private void awaitAll() {
        Deadline.await(
                "all members have processed " + decided,
                () -> here().allMatch(member -> decided == member.committed()));
    }

    private int files(int member) throws IOException {
        try (Stream<Path> files = Files.list(path(member).resolve("archive"))) {
            return (int) files.filter(file -> file.toString().endsWith(".rec")).count();
        }
    }

    private boolean hasBeginningOfLog(int member) {
        return Files.exists(path(member).resolve("archive/0-0.rec"));
    }

    @AfterEach
    void stopAll() {
        CloseHelper.closeAll(members);
    }

    @Test
    @Tag("slow")
    void theLogIsBoundedAndAMemberThatWasDownCatchesUp() throws IOException {
        for (int member = 0; member < MEMBERS; member++) {
            start(member);
        }
        List<Event.Seat> seats = List.of(new Event.Seat(1, "a:1", "a"), new Event.Seat(2, "b:1", "b"));
        leader().given
                .add(new Event.Completed(
                        new Event.Job(7, "terms", "batch=32", 1, DeathPolicy.WAIT, StartPoint.FRESH), seats));
        decide(FEW);
        for (int member = 0; member < MEMBERS; member++) {
            assertTrue(hasBeginningOfLog(member));
        }
        int away = follower();
        stop(away);
        decide(FEW); // two members are a majority
        start(away);
        awaitAll();
        assertCaughtUp(away);

        decide(MANY);
        for (int member = 0; member < MEMBERS; member++) {
            int pruned = member;
            Deadline.eventually(() -> assertBounded(pruned));
        }
        stop(away);
        decide(FEW);
        start(away);
        awaitAll();
        assertCaughtUp(away);
    }

    /** Long host names and IPv6 addresses: some 100 bytes for each node. */
    private static Event.Completed ofAThousandNodes() {
        List<Event.Seat> seats = IntStream.range(0, 1_000)
                .mapToObj(node -> new Event.Seat(
                        1 + node, "[2001:db8:85a3:8d3:1319:8a2e:370:" + node + "]:40100", "h".repeat(50) + node))
                .toList();
        return new Event.Completed(new Event.Job(7, "terms", "", 1, DeathPolicy.WAIT, StartPoint.FRESH), seats);
    }

    @Tag("slow")
    @Test
    void theEventOfAThousandJoinsReachesAllMembers() {
        for (int member = 0; member < MEMBERS; member++) {
            start(member);
        }
        leader().given.add(ofAThousandNodes());
        give(1);
        here().forEach(member ->
                assertEquals(1_000, member.record.state().members().size()));
        int away = follower();
        stop(away);
        decide(SMALL.decisions());
        start(away);
        awaitAll();
        assertEquals(
                leader().record.state().toString(), members[away].record.state().toString());
    }

    @Test
    void aSnapshotBetweenTwoPiecesOfAnEventHoldsTheEarlierPieces() {
        List<UnsafeBuffer> pieces = DecisionOffers.pieces(4, 0, EventCodec.encode(ofAThousandNodes()));
        ReplicatedRecord record = new ReplicatedRecord(0, new Following(), SMALL);
        pieces.subList(0, 5).forEach(piece -> give(record, piece));
        ReplicatedRecord restored = new ReplicatedRecord(1, new Following(), SMALL);
        restored.restore(record.written());
        pieces.subList(3, pieces.size()).forEach(piece -> give(restored, piece)); // two of the pieces are offered again
        assertNull(restored.fault());
        assertEquals(1_000, restored.state().members().size());
    }

    @Test
    void anUnfinishedDecisionIsDroppedWhenAnotherLeaderDecides() {
        List<UnsafeBuffer> pieces = DecisionOffers.pieces(4, 0, EventCodec.encode(ofAThousandNodes()));
        ReplicatedRecord record = new ReplicatedRecord(0, new Following(), SMALL);
        pieces.subList(0, 5).forEach(piece -> give(record, piece));
        DecisionOffers.pieces(5, 0, EventCodec.encode(ofAThousandNodes())).forEach(piece -> give(record, piece));
        pieces.subList(5, pieces.size()).forEach(piece -> give(record, piece));
        assertNull(record.fault());
        assertEquals(1_000, record.state().members().size());
    }

    private static void give(ReplicatedRecord record, long term, int number, byte[] decision) {
        DecisionOffers.pieces(term, number, decision).forEach(piece -> give(record, piece));
    }

    private static void give(ReplicatedRecord record, UnsafeBuffer message) {
        Header nowhere = new Header(0, 16).buffer(new UnsafeBuffer(new byte[DataHeaderFlyweight.HEADER_LENGTH]));
        record.onSessionMessage(null, 0, message, 0, message.capacity(), nowhere);
    }

    private static byte[] ordered(long clock) {
        return EventCodec.encode(new Event.Saved(clock, 10, -1));
    }

    private static ReplicatedRecord following() {
        ReplicatedRecord record = new ReplicatedRecord(0, new Following(), SMALL);
        List<Event.Seat> seats = List.of(new Event.Seat(1, "a:1", "a"), new Event.Seat(2, "b:1", "b"));
        Event begun = new Event.Completed(
                new Event.Job(7, "terms", "batch=32", 1, DeathPolicy.WAIT, StartPoint.FRESH), seats);
        give(record, 4, 0, EventCodec.encode(begun));
        return record;
    }

    @Test
    void aDecisionOfferedTwiceIsAppliedOnce() {
        ReplicatedRecord record = following();
        give(record, 4, 1, ordered(20));
        give(record, 4, 2, ordered(30));
        give(record, 4, 1, ordered(20));
        assertEquals(30, record.state().saved().ordered());
        give(record, 5, 0, ordered(40));
        give(record, 4, 3, ordered(50)); // an event of a former leader
        assertEquals(40, record.state().saved().ordered());
        give(record, 5, 1, ordered(35)); // a snapshot is abandoned and ordered again
        assertEquals(35, record.state().saved().ordered());
        assertNull(record.fault());
    }

    @Test
    void aMemberThatCannotReadAnEventStops() {
        ReplicatedRecord record = following();
        give(record, 4, 1, ordered(20));
        give(record, 4, 2, new byte[] {99, 99});
        assertNotNull(record.fault());
        give(record, 4, 3, ordered(30));
        assertEquals(20, record.state().saved().ordered());
    }

    /** The answer is also right at a member whose engine has ended and whose memory is unmapped. */
    @Test
    @Tag("slow")
    void whetherThereIsALeaderIsKnown() {
        for (int member = 0; member < MEMBERS; member++) {
            start(member);
        }
        leader();
        Deadline.await("all members know of a leader", () -> here().allMatch(member -> member.record.isLed()));
        int left = follower();
        for (int member = 0; member < MEMBERS; member++) {
            if (member != left) {
                stop(member);
            }
        }
        ReplicatedRecord alone = members[left].record;
        Deadline.await("the last member knows of no leader", () -> !alone.isLed());
        stop(left);
        assertFalse(alone.isLed());
    }

    @Test
    void aMemberWhoseEngineEndsMustEnd() {
        ReplicatedRecord record = following();
        assertNull(record.fault());
        record.onEngineEnd("service");
        assertEquals(
                "the service of the coordinators' engine has ended",
                record.fault().getMessage());
    }

    /** The member has processed what it missed, and nothing from before its own record. */
    private void assertCaughtUp(int member) {
        Member leader = leader();
        int takenIn = members[member].record.decisions();
        assertTrue(takenIn <= FEW + 1 + SMALL.decisions(), () -> "the member processed " + takenIn + " of " + decided);
        assertTrue(decided > FEW + 1 + SMALL.decisions());
        assertNull(members[member].record.fault());
        assertEquals(
                leader.record.state().toString(), members[member].record.state().toString());
    }

    private void assertBounded(int member) {
        try {
            members[member].consensus.prune();
            int files = files(member);
            assertTrue(files <= MOST_FILES, () -> files + " files at member " + member);
            assertFalse(hasBeginningOfLog(member), () -> "the log of member " + member + " is whole");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
