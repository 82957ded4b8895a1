package io.sluice.codecs.seal;

import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.SecretKey;

/**
 * The seals of one sender: each thread, and each other part of a node that makes frames, takes its own, with a lane
 * that no other has.
 *
 * <p>Safe for use by any thread.
 */
public final class SenderSeals {
    private static final int LAST_LANE = 0xFFFF;

    private final SecretKey key;
    private final AtomicInteger lanes = new AtomicInteger();

    /**
     * Begins with lane 0. There must be one such object for each key in all the world, or nonces come twice.
     *
     * @param key of the sender, from {@link KeySchedule#sender}
     */
    public SenderSeals(SecretKey key) {
        this.key = key;
    }

    /**
     * A seal with a lane of its own.
     *
     * @return a seal for one thread
     * @throws IllegalStateException after 65,536 seals
     */
    public FrameSeal newSeal() {
        int lane = lanes.getAndIncrement();
        if (lane < 0 || lane > LAST_LANE) {
            throw new IllegalStateException("the lanes of this sender are used up: it has to join again");
        }
        return FrameSeal.ofLane(key, lane);
    }
}
