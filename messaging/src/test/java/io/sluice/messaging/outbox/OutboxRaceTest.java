package io.sluice.messaging.outbox;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thread that publishes and takes back races one that sends. Every value put in is sent once, in each lane in the
 * round between its fences, and a round's fence follows all of the round.
 */
@Timeout(180)
class OutboxRaceTest {
    private static final int LANES = 3;
    private static final int KEYS_OF_LANE = 5;
    private static final int KEYS = LANES * KEYS_OF_LANE;
    private static final int ROUNDS = 10_000;

    private static final int KEY = 0;
    private static final int ROUND = 4;
    private static final int VALUE = 8;
    private static final int CHECK = 16;
    private static final int LENGTH = 24;

    /** The sending thread, which records the values that it sends. */
    private static final class Sender implements Runnable {
        final long[] sums = new long[KEYS];
        final long[] framesOfRound = new long[LANES];
        final long[] rounds = new long[LANES];
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Outbox outbox;

        Sender(Outbox outbox) {
            this.outbox = outbox;
        }

        @Override
        public void run() {
            try {
                while (Arrays.stream(rounds).min().orElseThrow() < ROUNDS) {
                    int slot = outbox.take();
                    if (slot == Outbox.NONE) {
                        Thread.onSpinWait();
                        Thread.yield();
                    } else {
                        send(slot);
                        outbox.release(slot);
                    }
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        }

        private void send(int slot) {
            UnsafeBuffer frame = outbox.frame(slot).buffer();
            int lane = outbox.lane(slot);
            if (outbox.isFence(slot)) {
                assertEquals(rounds[lane], frame.getInt(ROUND), "fences of a lane are in order");
                rounds[lane]++;
                return;
            }
            assertEquals(rounds[lane], frame.getInt(ROUND), "a frame is between the fences of its round");
            long value = frame.getLong(VALUE);
            assertEquals(~value, frame.getLong(CHECK), "no thread writes a frame that is being sent");
            sums[frame.getInt(KEY)] += value;
        }
    }

    @Test
    void nothingIsLostDoubledOrTorn() {
        int[] merged = new int[1];
        Property.holds(6, random -> {
            Outbox outbox = new Outbox(random.nextInt(1, 40), LENGTH, random.nextInt(1, 5), LENGTH, LANES, KEYS);
            Sender sender = new Sender(outbox);
            Thread thread = new Thread(sender, "sender");
            thread.setDaemon(true);
            thread.start();
            long[] sums = new long[KEYS];
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < KEYS; i++) {
                    int key = random.nextInt(KEYS);
                    long value = random.nextLong();
                    sums[key] += value;
                    merged[0] += put(outbox, sender, random, key, round, value);
                }
                for (int lane = 0; lane < LANES; lane++) {
                    fence(outbox, sender, lane, round);
                }
            }
            thread.join();
            assertNull(sender.failure.get(), () -> "the sender failed: " + sender.failure.get());
            assertArrayEquals(sums, sender.sums);
            assertEquals(0, outbox.backlog());
        });
        assertTrue(merged[0] > 100, "only " + merged[0] + " slots were taken back: the race was none");
    }

    /** Merges a value with the slot that waits for its key, or publishes it. */
    private static int put(Outbox outbox, Sender sender, SplittableRandom random, int key, int round, long value) {
        int waiting = outbox.takeBack(key);
        if (waiting != Outbox.NONE) {
            UnsafeBuffer frame = outbox.frame(waiting).buffer();
            write(frame, key, frame.getInt(ROUND), frame.getLong(VALUE) + value);
            outbox.publishAgain(waiting, random.nextInt(10));
            return 1;
        }
        int slot = outbox.claim();
        while (slot == Outbox.NONE) {
            pause(sender);
            slot = outbox.claim();
        }
        write(outbox.frame(slot).buffer(), key, round, value);
        outbox.publish(slot, key / KEYS_OF_LANE, key, random.nextInt(10));
        return 0;
    }

    private static void write(UnsafeBuffer frame, int key, int round, long value) {
        frame.putInt(KEY, key);
        frame.putInt(ROUND, round);
        frame.putLong(VALUE, value);
        frame.putLong(CHECK, ~value);
    }

    private static void fence(Outbox outbox, Sender sender, int lane, int round) {
        int slot = outbox.claimSmall();
        while (slot == Outbox.NONE) {
            pause(sender);
            slot = outbox.claimSmall();
        }
        outbox.frame(slot).buffer().putInt(ROUND, round);
        outbox.publishFence(slot, lane);
    }

    private static void pause(Sender sender) {
        assertNull(sender.failure.get(), () -> "the sender failed: " + sender.failure.get());
        Thread.onSpinWait();
        Thread.yield();
    }
}
