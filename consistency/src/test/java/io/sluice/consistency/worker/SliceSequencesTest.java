package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SliceSequencesTest {
    private static final int READS = 20_000;

    @Test
    void aReadIsInVainIfAWriteBeginsOrEndsMeanwhile() {
        SliceSequences sequences = new SliceSequences(2);
        int before = sequences.number(1);
        assertTrue(sequences.isSame(1, before));
        sequences.begin(1);
        assertFalse(sequences.isSame(1, before));
        assertFalse(sequences.isSame(1, sequences.number(1)), "it is being written");
        assertTrue(sequences.isSame(0, sequences.number(0)), "the other is not");
        int within = sequences.number(1);
        sequences.begin(1);
        sequences.end(1);
        assertFalse(sequences.isSame(1, sequences.number(1)), "the outer write has not ended");
        sequences.end(1);
        assertFalse(sequences.isSame(1, within));
        assertTrue(sequences.isSame(1, sequences.number(1)));
    }

    @Test
    void aReaderNeverKeepsHalfOfAWrite() throws InterruptedException {
        SliceSequences sequences = new SliceSequences(1);
        float[] slice = new float[64];
        AtomicBoolean ends = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int value = 1; !ends.get(); value++) {
                sequences.begin(0);
                for (int i = 0; i < slice.length; i++) {
                    slice[i] = value;
                }
                sequences.end(0);
            }
        });
        try {
            float[] copy = new float[slice.length];
            for (int kept = 0; kept < READS; ) {
                int number = sequences.number(0);
                System.arraycopy(slice, 0, copy, 0, copy.length);
                if (sequences.isSame(0, number)) {
                    kept++;
                    for (float value : copy) {
                        assertEquals(copy[0], value);
                    }
                }
            }
        } finally {
            ends.set(true);
            writer.join();
        }
    }
}
