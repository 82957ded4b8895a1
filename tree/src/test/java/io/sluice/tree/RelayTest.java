package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.codecs.sbe.WelcomeDecoder;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Link;
import io.sluice.tree.FanOutRig.Prepared;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class RelayTest {
    private static final Prepared FRAME = FanOutRig.frame(7); // of origin 0
    private static final Prepared ROUND_COMMIT = FanOutRig.commit();

    private final List<Rejection> rejected = new ArrayList<>();
    private int passed;

    private Relay relay(Link[] links, int capacity, int longest) {
        FrameRing ring = new FrameRing(links, capacity);
        return new Relay(
                new FrameRing[] {ring, null},
                RouteTable.single(2),
                longest,
                (buffer, offset, length, template, session) -> {
                    passed++;
                    return Action.CONTINUE;
                },
                rejected::add);
    }

    private static Action offer(Relay relay, int template) {
        Prepared frame = RoundCommitDecoder.TEMPLATE_ID == template ? ROUND_COMMIT : FRAME;
        return relay.onFrame(frame.memory().buffer(), 0, frame.length(), template, 1);
    }

    @Test
    void whatAServerBroadcastsIsPassedOnByteForByte() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            Relay relay = relay(rig.links, 1 << 16, FRAME.length());
            assertEquals(Action.CONTINUE, offer(relay, DataDecoder.TEMPLATE_ID));
            assertEquals(Action.CONTINUE, offer(relay, RoundCommitDecoder.TEMPLATE_ID));
            while (!relay.isSettled(0) || rig.received.stream().anyMatch(frames -> frames.size() < 2)) {
                relay.flush();
                rig.pollAll();
            }
            for (List<byte[]> received : rig.received) {
                FanOutRig.requireSame(List.of(FRAME, ROUND_COMMIT), received);
            }
            assertEquals(2, passed);
            assertEquals(List.of(), rejected);
        }
    }

    @Test
    void whatNoServerBroadcastsIsDropped() {
        Relay relay = relay(new Link[0], 1 << 16, FRAME.length() - 1);
        offer(relay, WelcomeDecoder.TEMPLATE_ID);
        offer(relay, DataDecoder.TEMPLATE_ID); // too long
        Relay ofAnother = new Relay(
                new FrameRing[0],
                RouteTable.single(0),
                FRAME.length(),
                (b, o, l, t, s) -> Action.CONTINUE,
                rejected::add);
        assertEquals(Action.CONTINUE, offer(ofAnother, DataDecoder.TEMPLATE_ID));
        assertEquals(List.of(Rejection.UNEXPECTED, Rejection.BAD_LENGTH, Rejection.UNKNOWN_ORIGIN), rejected);
        assertEquals(0, passed);
    }

    @Test
    void aFrameIsDeferredWhileAChildIsAWholeRingBehind() {
        try (FanOutRig rig = new FanOutRig("ipc", 1)) {
            Relay relay = relay(rig.links, 16 << 10, FRAME.length());
            Action action = Action.CONTINUE;
            while (action == Action.CONTINUE) {
                action = offer(relay, DataDecoder.TEMPLATE_ID);
            }
            int before = passed;
            while (offer(relay, DataDecoder.TEMPLATE_ID) == Action.ABORT) {
                rig.pollAll();
            }
            assertEquals(before + 1, passed, "what is deferred has not been passed");
            assertTrue(relay.isConnected(0));
        }
    }

    /** A decoder would reject the frame, whose bitmap has another number of bits than the header states. */
    @Test
    void aFrameWithABadBlockIsPassedOnUnchanged() {
        Prepared frame = FanOutRig.frame(7);
        int bitmapFloats = 2 * Math.ceilDiv(FanOutRig.ELEMENTS, Long.SIZE);
        new DataEncoder()
                .wrap(frame.memory().buffer(), Frame.HEADER_LENGTH)
                .format((short) BlockFormat.BITMAP.code())
                .count(FanOutRig.ELEMENTS - bitmapFloats);
        DataFrameDecoder decoder = new DataFrameDecoder(FanOutRig.ELEMENTS, AcceptedCompressors.named());
        Rejection rejection = decoder.wrap(frame.memory().buffer(), 0, frame.length());
        assertEquals(Rejection.BAD_BLOCK, rejection);
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            Relay relay = relay(rig.links, 1 << 16, frame.length());
            assertEquals(
                    Action.CONTINUE,
                    relay.onFrame(frame.memory().buffer(), 0, frame.length(), DataDecoder.TEMPLATE_ID, 1));
            while (rig.received.stream().anyMatch(List::isEmpty)) {
                relay.flush();
                rig.pollAll();
            }
            for (List<byte[]> received : rig.received) {
                FanOutRig.requireSame(List.of(frame), received);
            }
        }
    }

    @Test
    void passingOnAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            rig.record(false);
            Relay relay = relay(rig.links, 32 << 10, FRAME.length());
            long least = Long.MAX_VALUE;
            // The compiler works in the background: measure in batches until one is clean, or give up.
            for (int batch = 0; batch < 60 && least > 0; batch++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 4_000; i++) {
                    offer(relay, DataDecoder.TEMPLATE_ID);
                    if (i % 16 == 0) {
                        rig.poll(0);
                        rig.poll(1);
                    }
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(0, least);
        }
    }
}
