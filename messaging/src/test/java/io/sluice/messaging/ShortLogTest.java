package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.FrameHandler.Action;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class ShortLogTest {
    /** Shared memory: unread frames are in the log. (With UDP the receiver's window is in addition.) */
    @ParameterizedTest
    @ValueSource(ints = {16_000, 16_320})
    void aShortenedLogHoldsTwoFramesAtMost(int elements) {
        Frames frames = new Frames();
        int length = frames.encode(1, elements);
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", (buffer, offset, size, template, session) -> Action.CONTINUE);
            String channel = Channels.shortened(rig.channels.ipc(), 65_472);
            try (Link link = rig.sender.openLink("test", channel, Rig.STREAM)) {
                link.awaitConnected(Rig.PATIENCE_NS, SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
                for (int round = 1; round <= 50; round++) {
                    int taken = offerAll(link, frames, length);
                    assertTrue(taken <= 2, taken + " frames are in the log");
                    long all = link.frames();
                    Rig.until(() -> inbox.frames() == all, () -> inbox.poll(8));
                    Rig.until(() -> link.room() > 0, () -> {});
                }
            }
        }
    }

    private static int offerAll(Link link, Frames frames, int length) {
        Rig.until(() -> link.offer(frames.buffer(), 0, length), () -> {}); // the driver may open the window late
        int taken = 1;
        long start = System.nanoTime();
        while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(3)) {
            taken += link.offer(frames.buffer(), 0, length) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void theWindowIsAtLeastTheMtuAndAtMostHalfATerm() {
        String channel = new Channels(Rig.shortTerms()).ipc();
        assertEquals(channel + "|pub-wnd=65504", ordered(channel, 100));
        assertEquals(channel + "|pub-wnd=100000", ordered(channel, 100_000));
        assertEquals(channel + "|pub-wnd=1048576", ordered(channel, 1 << 30));
    }

    /** The shortened channel with its parameters in the order of the original: Aeron chooses an order of its own. */
    private static String ordered(String channel, int bytes) {
        String shortened = Channels.shortened(channel, bytes);
        int at = shortened.indexOf("pub-wnd=");
        int end = shortened.indexOf('|', at);
        String window = end < 0 ? shortened.substring(at) : shortened.substring(at, end);
        for (String parameter : channel.substring(channel.indexOf('?') + 1).split("\\|")) {
            assertTrue(shortened.contains(parameter), shortened + " lacks " + parameter);
        }
        return channel + "|" + window;
    }
}
