package io.sluice.consistency.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Rejection;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.consistency.TestDriver;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A node with a secret follows the true leader of several coordinators although outsiders replay messages.
 */
@Timeout(240)
class LeaderTrackerTest {
    private static final ClusterSecret SECRET = ClusterSecret.of("what these nodes know".getBytes(US_ASCII));
    private static final long CLUSTER = 7;
    private static final long JOIN = 11;
    private static final int ITS_STREAM = 1;
    private static final int OTHER_STREAM = 2;
    private static final int OUTSIDERS_STREAM = 3;

    private final List<Rejection> rejected = new ArrayList<>();
    private final List<Long> heard = new ArrayList<>();
    private final ControlHandler control = new ControlHandler();
    private TestDriver driver;
    private Transport transport;
    private LeaderTracker leaderTracker;

    @BeforeEach
    void open() {
        driver = TestDriver.launch();
        transport = driver.connect();
        List<Endpoint> addresses = Stream.generate(TestDriver::freeEndpoint)
                .limit(3)
                .map(Endpoint::parse)
                .toList();
        leaderTracker = new LeaderTracker(
                ControlNetwork.over(transport), addresses, control, new JoinSecret(SECRET), rejected::add);
        control.readBy((buffer, offset, _, _, session) -> {
            if (leaderTracker.isFromLeader(session)) {
                heard.add(new HeartbeatDecoder()
                        .wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder())
                        .clock());
            }
            return Action.CONTINUE;
        });
    }

    @AfterEach
    void close() {
        leaderTracker.close();
        transport.close();
        driver.close();
    }

    /** A coordinator that knows the secret, in a term of its own. */
    private static final class Leader {
        private final ControlMessages messages = new ControlMessages();
        private final UnsafeBuffer call;

        Leader(long term, int member, long nonce) {
            KeySchedule schedule = new KeySchedule(SECRET);
            messages.identify(CLUSTER, ControlIds.COORDINATOR);
            call = copy(messages.lead(JOIN, nonce, term, member, new JoinProof(schedule)));
            messages.sealWith(new SenderSeals(schedule.sender(CLUSTER, 0, ControlIds.COORDINATOR, nonce))
                    .newSeal()
                    .toAddressee(JOIN));
        }

        UnsafeBuffer heartbeat(long clock) {
            return copy(messages.heartbeat(clock, 1, 1));
        }

        private UnsafeBuffer copy(int length) {
            byte[] bytes = new byte[length];
            messages.buffer().getBytes(0, bytes);
            return new UnsafeBuffer(bytes);
        }
    }

    private boolean follows(UnsafeBuffer call, int stream) {
        return leaderTracker.follow(call, 0, call.capacity(), stream, JOIN);
    }

    private void hear(UnsafeBuffer message, int stream) {
        control.onFrame(message, 0, message.capacity(), HeartbeatDecoder.TEMPLATE_ID, stream);
    }

    @Test
    void aReplayedCallHasNoEffect() {
        Leader leader = new Leader(5, 0, 101);
        assertTrue(follows(leader.call, ITS_STREAM));
        UnsafeBuffer first = leader.heartbeat(1);
        hear(first, ITS_STREAM);
        assertEquals(List.of(1L), heard);

        assertFalse(follows(leader.call, OUTSIDERS_STREAM));
        assertEquals(List.of(Rejection.REPLAYED), rejected);
        hear(first, OUTSIDERS_STREAM); // replayed messages are also ignored
        assertEquals(List.of(Rejection.REPLAYED, Rejection.REPLAYED), rejected);

        hear(leader.heartbeat(2), ITS_STREAM);
        hear(leader.heartbeat(3), OTHER_STREAM); // the leader may have opened another link
        assertEquals(List.of(1L, 2L, 3L), heard);
    }

    @Test
    void aTermOfOfficeHasOneLeader() {
        Leader leader = new Leader(5, 0, 101);
        assertTrue(follows(leader.call, ITS_STREAM));
        assertFalse(follows(new Leader(5, 1, 102).call, OTHER_STREAM));
        assertEquals(List.of(Rejection.UNEXPECTED), rejected);
        hear(leader.heartbeat(1), ITS_STREAM);
        assertEquals(List.of(1L), heard);
    }

    @Test
    void aFormerLeaderIsIgnoredOnEveryStream() {
        Leader before = new Leader(5, 0, 101);
        assertTrue(follows(before.call, ITS_STREAM));
        Leader leader = new Leader(6, 1, 102);
        assertTrue(follows(leader.call, OTHER_STREAM));

        assertFalse(follows(before.call, OUTSIDERS_STREAM));
        hear(before.heartbeat(1), ITS_STREAM);
        hear(before.heartbeat(2), OTHER_STREAM);
        assertEquals(List.of(Rejection.BAD_SEAL, Rejection.BAD_SEAL), rejected);
        hear(leader.heartbeat(3), OTHER_STREAM);
        assertEquals(List.of(3L), heard);
    }
}
