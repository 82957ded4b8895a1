package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class SendingTest {
    private static final int LINKS = 3;
    private static final int FRAMES = 30;
    private static final int LENGTH = 100;
    private static final int STREAM = 4_711;

    /** Each step advances time by one frame at the node's rate, so there is room for just one. */
    @Test
    void allLinksHaveAnEqualShareOfTheBudgetOfTheNode() {
        AtomicLong nowNs = new AtomicLong();
        try (TestDriver driver = TestDriver.launch();
                Transport transport = driver.connect()) {
            Link[] links = new Link[LINKS];
            for (int i = 0; i < LINKS; i++) {
                links[i] = connect(transport, STREAM + i);
            }
            int bytes = links[0].lengthInLog(LENGTH);
            NodeBudget budget = new NodeBudget(Budget.NONE, new Budget(8_000_000, bytes), nowNs::get);
            PushSender[] senders = new PushSender[LINKS];
            for (int i = 0; i < LINKS; i++) {
                PushQueue queue = filledQueue(nowNs::get);
                Pacing pacing = budget.pace(links[i], LENGTH, null);
                LinkWatch watch = new LinkWatch(links[i], nowNs::get, null, pacing, queue, LENGTH, true);
                senders[i] = new PushSender(new PushSender.Parts(
                        new FollowedLink<>(() -> 0, () -> watch), queue, null, 0, LENGTH, false, 1, 0, () -> false));
            }
            Sending sending = Sending.of(ThreadingMode.INVOKER, null, senders, () -> 0, nowNs::get);
            for (int step = 1; step <= FRAMES; step++) {
                Deadline.await("frame " + step + " is sent", () -> sending.invoke() == 1);
                assertEquals(0, sending.invoke(), "the budget is used up");
                for (Link link : links) {
                    long share = step / LINKS;
                    assertTrue(
                            link.frames() >= share && link.frames() <= share + 1,
                            link.frames() + " of " + step + " frames went on " + link.label());
                }
                nowNs.addAndGet(bytes * 1_000L);
            }
        }
    }

    private static Link connect(Transport transport, int stream) {
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
        transport.openIpcInbox(
                "test", stream, validator, (buffer, offset, length, template, session) -> Action.CONTINUE);
        Link link = transport.openLink("test " + stream, transport.channels().ipc(), stream);
        link.awaitConnected(
                TimeUnit.MILLISECONDS.toNanos(Deadline.PATIENCE_MS),
                SystemNanoClock.INSTANCE,
                new BackoffIdleStrategy());
        return link;
    }

    /** Frames that are written already: nothing has to be sealed. */
    private static PushQueue filledQueue(NanoClock clock) {
        PushQueue queue = new PushQueue(1, LENGTH, FRAMES / 2, 1, clock);
        for (int i = 0; i < FRAMES; i++) {
            queue.publishWritten(queue.outbox().claimSmall(), LENGTH);
        }
        return queue;
    }
}
