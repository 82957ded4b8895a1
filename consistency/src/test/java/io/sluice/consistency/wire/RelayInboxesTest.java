package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestDriver;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A relay closes and opens its inbox of each tree, and the sender of that tree detects both. */
@Timeout(240)
class RelayInboxesTest {
    private static final int LIMIT = 16;

    private int received;

    @Test
    void closingATreeLeavesTheOthersOpenAndItMayReopen() {
        Streams streams = new Streams(7);
        FrameHandler counting = (buffer, offset, length, template, session) -> {
            received++;
            return Action.CONTINUE;
        };
        try (TestDriver driver = TestDriver.launch();
                Transport transport = driver.connect()) {
            Endpoint local = Endpoint.parse(TestDriver.freeEndpoint());
            IntFunction<Inbox> opening = tree -> transport.openUdpInbox(
                    "test",
                    local,
                    streams.relay(tree),
                    new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum()),
                    counting);
            RelayInboxes inboxes = new RelayInboxes(new Inboxes(), 2, opening);
            Link first = transport.openLink("first", transport.channels().udpTo(local), streams.relay(0));
            Link second = transport.openLink("second", transport.channels().udpTo(local), streams.relay(1));
            for (int i = 0; i < 2; i++) {
                inboxes.open(0);
                inboxes.open(1);
                inboxes.open(1); // changes nothing
                send(first, inboxes);
                send(second, inboxes);
                inboxes.close(1);
                Deadline.await("no receiver is connected", () -> !second.isConnected());
                send(first, inboxes);
                assertTrue(first.isConnected(), "the other tree stays connected");
            }
            assertEquals(6, received);
        }
    }

    private void send(Link link, RelayInboxes inboxes) {
        FrameBuffer frame = new FrameBuffer(Frame.DATA_LENGTH);
        RoundCommitEncoder commit =
                new RoundCommitEncoder().wrapAndApplyHeader(frame.buffer(), 0, new MessageHeaderEncoder());
        commit.envelope().clusterId(1);
        int length = commit.limit();
        new FrameChecksum().write(frame.buffer(), 0, length);
        int before = received;
        Deadline.await("the link accepts a frame", () -> link.offer(frame.buffer(), 0, length));
        Deadline.await("a frame arrives", () -> received > before, () -> inboxes.poll(LIMIT));
    }
}
