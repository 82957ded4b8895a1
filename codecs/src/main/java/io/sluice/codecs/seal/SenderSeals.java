package io.sluice.codecs.seal;

import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.SecretKey;

/**
 * The seals of one sender: each thread and each other source of frames of a node gets its own, with its own lane.
 *
 * <p>Safe for use by any thread.
 */
public final class SenderSeals {
    private static final int LAST_LANE = 0xFFFF;

    private final SecretKey key;
    private final AtomicInteger lanes = new AtomicInteger();

    /**
     * Creates the seals of a sender, from lane 0. Create only one such object for a key, or nonces would be used twice.
     *
     * @param key key of the sender, from {@link KeySchedule#sender}
     */
    public SenderSeals(SecretKey key) {
        this.key = key;
    }

    /**
     * Creates a seal with a lane of its own.
     *
     * @return a seal for one thread
     * @throws IllegalStateException after 65,536 seals
     */
    public FrameSeal newSeal() {
        int lane = lanes.getAndIncrement();
        if (lane < 0 || lane > LAST_LANE) {
            throw new IllegalStateException(
                    "this sender has made " + (LAST_LANE + 1) + " seals, the maximum: its node has to join again");
        }
        return FrameSeal.ofLane(key, lane);
    }
}
