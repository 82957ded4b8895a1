package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.bandwidth.StreamPositions;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A media driver that spreads bulk data over the rate of its host's link, and whose receivers share a window. */
@Timeout(180)
class PacedDriverTest {
    private static final int FRAMES = 400;
    private static final int LINKS = 5;

    private final Frames frames = new Frames();
    private final int length = frames.encode(1, 10_000);

    /**
     * All frames arrive, the terms of the logs rotate, no sender exceeds the window, and the consumed position is
     * published.
     */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"0, 0", "400_000_000, 0", "400_000_000, 0.02"})
    void severalLinksIntoOneInboxDeliverEverything(String rate, double loss) {
        Driver.Context context = new Driver.Context()
                .egressRate(Long.parseLong(rate.replace("_", "")))
                .receiveLoss(loss, 7);
        ChannelSettings lengths = Rig.shortTerms().receiverWindow(256 << 10).mtu(8_192);
        try (Rig rig = new Rig(lengths, context)) {
            Inbox inbox = rig.inbox("udp", (buffer, offset, size, template, session) -> Action.CONTINUE);
            String channel = rig.channels.bulkUdpTo(inbox.endpoint());
            List<Link> links = IntStream.range(0, LINKS)
                    .mapToObj(i -> rig.sender.openLink("test " + i, channel, Rig.STREAM))
                    .toList();
            List<StreamPositions> positions = links.stream()
                    .map(link -> new StreamPositions(
                            rig.sender.aeron().countersReader(), link.registrationId(), link.position()))
                    .toList();
            int[] sent = new int[LINKS];
            Rig.until(() -> inbox.frames() == (long) FRAMES * LINKS, () -> {
                for (int i = 0; i < LINKS; i++) {
                    while (sent[i] < FRAMES && links.get(i).offer(frames.buffer(), 0, length)) {
                        sent[i]++;
                    }
                    requireSound(positions.get(i), links.get(i));
                }
                inbox.poll(16);
            });
            assertEquals(0, inbox.rejections().total());
            for (int i = 0; i < LINKS; i++) {
                StreamPositions told = positions.get(i);
                Link link = links.get(i);
                Rig.until(() -> link.position() - told.acknowledged() <= told.window() / 4, () -> inbox.poll(1));
            }
            assertEquals(List.of(), rig.errors);
        }
    }

    private static void requireSound(StreamPositions positions, Link link) {
        if (positions.refresh()) {
            long acknowledged = positions.acknowledged();
            assertTrue(acknowledged <= link.position(), () -> acknowledged + " of " + link.position());
            assertTrue(positions.window() <= 256 << 10, () -> "window of " + positions.window());
            long sent = positions.sent();
            assertTrue(sent - acknowledged <= 256 << 10, () -> sent - acknowledged + " on their way");
        }
    }

    @Test
    void aRateBelowZeroIsRefused() {
        MessagingException refusal =
                assertThrows(MessagingException.class, () -> Driver.launch(new Driver.Context().egressRate(-1)));
        assertTrue(refusal.getMessage().startsWith("egressRate=-1"), refusal.getMessage());
    }
}
