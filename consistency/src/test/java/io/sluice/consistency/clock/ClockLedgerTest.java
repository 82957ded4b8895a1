package io.sluice.consistency.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClockLedgerTest {
    @Test
    void equalFramesAgreeRoundAfterRound() {
        ClockLedger sender = new ClockLedger(0);
        ClockLedger receiver = new ClockLedger(0);
        for (long round = 0; round < 4; round++) {
            for (int frame = 0; frame < round; frame++) {
                assertTrue(receiver.isNext(sender.round(), sender.frames()));
                sender.enter(frame * 31);
                receiver.enter(frame * 31);
            }
            assertTrue(receiver.agrees(sender.frames(), sender.value()));
            sender.open(round + 1);
            receiver.open(round + 1);
        }
    }

    @Test
    void anEmptyRoundIsARoundToo() {
        ClockLedger ledger = new ClockLedger(7);
        int value = ledger.value();
        ledger.open(8);
        assertTrue(ledger.agrees(0, value));
        assertFalse(ledger.agrees(1, value));
        assertFalse(ledger.agrees(0, value + 1));
    }

    @Test
    void onlyTheFrameDueIsNext() {
        ClockLedger ledger = new ClockLedger(3);
        ledger.enter(1);
        ledger.enter(2);

        assertTrue(ledger.isNext(3, 2));
        assertFalse(ledger.isNext(3, 3), "a frame was lost");
        assertFalse(ledger.isNext(4, 0), "a round was left out");
        assertFalse(ledger.isNext(3, 1));
        assertFalse(ledger.isNext(2, 2));
    }

    @Test
    void enteredFramesArePast() {
        ClockLedger ledger = new ClockLedger(3);
        ledger.enter(1);

        assertTrue(ledger.isPast(3, 0));
        assertTrue(ledger.isPast(2, 77));
        assertFalse(ledger.isPast(3, 1));
        assertFalse(ledger.isPast(4, 0));
    }

    @Test
    void aLostFrameIsNoticed() {
        requireDisagreement(frames -> IntStream.range(0, frames.length)
                .filter(i -> i != frames.length / 2)
                .map(i -> frames[i])
                .toArray());
    }

    @Test
    void aDoubledFrameIsNoticed() {
        requireDisagreement(frames -> IntStream.rangeClosed(0, frames.length)
                .map(i -> frames[Math.max(0, i - 1)])
                .toArray());
    }

    @Test
    void aLostFrameMadeUpByADoubledOneIsNoticed() {
        requireDisagreement(frames -> {
            int[] changed = frames.clone();
            changed[0] = changed[1];
            return changed;
        });
    }

    @Test
    void framesThatChangedPlacesAreNoticed() {
        requireDisagreement(frames -> {
            int[] changed = frames.clone();
            changed[0] = frames[frames.length - 1];
            changed[frames.length - 1] = frames[0];
            return changed;
        });
    }

    @Test
    void anAlteredBitIsNoticed() {
        requireDisagreement(frames -> {
            int[] changed = frames.clone();
            changed[changed.length / 2] ^= 1 << 13;
            return changed;
        });
    }

    private static void requireDisagreement(UnaryOperator<int[]> accident) {
        Property.holds(1_000, random -> {
            int[] sent = differentChecksums(random);
            int[] received = accident.apply(sent);
            ClockLedger sender = enter(sent);
            ClockLedger receiver = enter(received);
            assertFalse(receiver.agrees(sender.frames(), sender.value()));
            assertEquals(sent.length, sender.frames());
        });
    }

    private static int[] differentChecksums(SplittableRandom random) {
        return random.ints().distinct().limit(random.nextInt(2, 40)).toArray();
    }

    private static ClockLedger enter(int[] checksums) {
        ClockLedger ledger = new ClockLedger(1);
        for (int checksum : checksums) {
            ledger.enter(checksum);
        }
        return ledger;
    }
}
