package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.status.SystemCounterDescriptor;
import io.sluice.codecs.Drawn;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.driver.Driver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class ReceiveLossTest {
    private final Frames frames = new Frames();
    private long next;

    @ParameterizedTest
    @CsvSource({"0.01,16352,400", "0.02,16352,400", "0.10,16352,200", "0.02,65520,60"})
    void nothingIsLostOrReordered(double rate, int elements, int count) {
        deliverAll(rate, elements, count);
    }

    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @CsvSource({"0.01,16352,5000", "0.02,16352,5000", "0.10,16352,2000", "0.10,65520,500", "0.10,256,20000"})
    void nothingIsLostOrReorderedInTheLongRun(double rate, int elements, int count) {
        deliverAll(rate, elements, count);
    }

    private void deliverAll(double rate, int elements, int count) {
        try (Rig rig = new Rig(Rig.shortTerms(), new Driver.Context().receiveLoss(rate, 42))) {
            Inbox inbox = rig.inbox("udp", (buffer, offset, length, template, session) -> {
                assertEquals(next++, Frames.number(buffer, offset));
                return Action.CONTINUE;
            });
            Link link = rig.link(inbox);
            for (int i = 0; i < count; i++) {
                int length = frames.encode(i, elements);
                Rig.until(() -> link.offer(frames.buffer(), 0, length), () -> inbox.poll(16));
            }
            Rig.until(() -> next == count, () -> inbox.poll(16));
            assertEquals(0, inbox.rejections().total());
            long naks = rig.receiver
                    .aeron()
                    .countersReader()
                    .getCounterValue(SystemCounterDescriptor.NAK_MESSAGES_SENT.id());
            assertTrue(naks > 0, "datagrams were lost on the way");
        }
    }
}
