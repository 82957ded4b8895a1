package io.sluice.trials.chaos;

import io.aeron.Aeron;
import io.aeron.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Records for a short time the frames that the nodes of a media driver send, as an attacker on their network could.
 */
final class Eavesdropper {
    private static final String SPY = "aeron-spy:";
    private static final int MOST_OF_A_STREAM = 100;
    private static final int LIMIT = 10;
    private static final int FRAGMENTED = 0xC0;
    private static final long PAUSE_MS = 1;

    private Eavesdropper() {}

    /**
     * Records frames.
     *
     * @param aeron client of the driver
     * @param streams streams to record
     * @param ms duration in milliseconds
     * @return whole frames of up to {@link HostileFrames#LONGEST} bytes
     */
    static List<byte[]> listen(Aeron aeron, Set<Streams.Stream> streams, long ms) throws InterruptedException {
        List<byte[]> heard = new ArrayList<>();
        List<Subscription> spies = new ArrayList<>();
        try {
            for (Streams.Stream stream : streams) {
                spies.add(aeron.addSubscription(SPY + stream.channel(), stream.id()));
            }
            int[] counts = new int[spies.size()];
            long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < TimeUnit.MILLISECONDS.toNanos(ms)) {
                int polled = 0;
                for (int i = 0; i < counts.length; i++) {
                    polled += poll(spies.get(i), heard, counts, i);
                }
                if (polled == 0) {
                    Thread.sleep(PAUSE_MS);
                }
            }
        } finally {
            spies.forEach(Subscription::close);
        }
        return heard;
    }

    private static int poll(Subscription spy, List<byte[]> heard, int[] counts, int stream) {
        return spy.poll(
                (buffer, offset, length, frame) -> {
                    boolean whole = (frame.flags() & FRAGMENTED) == FRAGMENTED;
                    if (whole && length <= HostileFrames.LONGEST && counts[stream]++ < MOST_OF_A_STREAM) {
                        byte[] copy = new byte[length];
                        buffer.getBytes(offset, copy);
                        heard.add(copy);
                    }
                },
                LIMIT);
    }
}
