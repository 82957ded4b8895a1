package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verdicts on numbers alone: a candidate is a share it leaves, and times per byte. */
class CompressionGateTest {
    private static final int CLASS = 0;
    private static final int LENGTH = 10_000;
    private static final int SETTLED = 20_000;

    /** At this rate a byte takes one nanosecond, so a share saved and a time per byte compare as they stand. */
    private static final double BYTE_PER_NS = 1e9;

    /** What a candidate does to blocks. */
    private static final class NodeProxy {
        private final double leaves;
        private final double encodeNs;
        private final double decodeNs;

        NodeProxy(double leaves, double encodeNs, double decodeNs) {
            this.leaves = leaves;
            this.encodeNs = encodeNs;
            this.decodeNs = decodeNs;
        }
    }

    private static CompressionGate gate(int candidates) {
        return new CompressionGate(candidates, BYTE_PER_NS);
    }

    /** Sends frames; returns how many ran a compressor. */
    private static int send(CompressionGate gate, int frames, NodeProxy... candidates) {
        int tried = 0;
        for (int i = 0; i < frames; i++) {
            int chosen = gate.next(CLASS);
            if (chosen != CompressionGate.OFF) {
                tried++;
                run(gate, chosen, candidates[chosen], LENGTH, 1);
            }
        }
        return tried;
    }

    private static boolean run(CompressionGate gate, int chosen, NodeProxy candidate, int length, double noise) {
        int out = (int) Math.min(length, length * candidate.leaves);
        if (gate.isProbing() && out < length) {
            gate.decoded(CLASS, chosen, length, Math.round(candidate.decodeNs * length * noise));
        }
        return gate.encoded(CLASS, chosen, length, out, Math.round(candidate.encodeNs * length * noise));
    }

    @Test
    void everyPairOfCostAndLinkIsDecidedByTheInequality() {
        Property.holds(300, random -> {
            double saved = random.nextDouble(0.01, 1);
            double encode = random.nextDouble(0.01, 20);
            double decode = random.nextDouble(0.01, 20);
            double rate = Math.pow(10, random.nextDouble(6, 11));
            double won = saved * 1e9 / rate;
            double cost = encode + decode;
            CompressionGate gate = gate(1);
            gate.linkRate(rate);
            send(gate, SETTLED, new NodeProxy(1 - saved, encode, decode));

            if (won > 1.3 * cost) {
                assertEquals(0, gate.verdict(CLASS), "won " + won + ", cost " + cost);
            } else if (won < cost) {
                assertEquals(CompressionGate.OFF, gate.verdict(CLASS), "won " + won + ", cost " + cost);
            }
        });
    }

    @Test
    void theDecodersTimeCountsAsMuchAsTheEncoders() {
        CompressionGate gate = gate(1);
        send(gate, SETTLED, new NodeProxy(0.5, 0.1, 0.6));
        assertEquals(CompressionGate.OFF, gate.verdict(CLASS));

        gate = gate(1);
        send(gate, SETTLED, new NodeProxy(0.5, 0.1, 0.2));
        assertEquals(0, gate.verdict(CLASS));
    }

    @Test
    void theLargestGainIsChosenNotTheSmallestBlock() {
        NodeProxy quick = new NodeProxy(0.6, 0.02, 0.01);
        NodeProxy tight = new NodeProxy(0.3, 0.5, 0.1);
        NodeProxy slow = new NodeProxy(0.29, 5, 1);
        CompressionGate gate = gate(3);
        send(gate, SETTLED, quick, tight, slow);
        assertEquals(0, gate.verdict(CLASS));

        gate.linkRate(BYTE_PER_NS / 10);
        send(gate, SETTLED, quick, tight, slow);
        assertEquals(1, gate.verdict(CLASS));

        gate.linkRate(BYTE_PER_NS / 10_000);
        send(gate, SETTLED, quick, tight, slow);
        assertEquals(1, gate.verdict(CLASS), "a hundredth less is within the margin");

        gate.linkRate(BYTE_PER_NS * 100);
        send(gate, SETTLED, quick, tight, slow);
        assertEquals(CompressionGate.OFF, gate.verdict(CLASS));
    }

    @Test
    void turnsOffWithinAFewFramesWhenDataNoLongerCompress() {
        CompressionGate gate = gate(3);
        NodeProxy good = new NodeProxy(0.2, 0.1, 0.1);
        NodeProxy useless = new NodeProxy(1, 0.1, 0.1);
        send(gate, SETTLED, good, good, good);
        assertTrue(gate.verdict(CLASS) != CompressionGate.OFF);

        int frames = 0;
        while (gate.verdict(CLASS) != CompressionGate.OFF && frames < 200) {
            send(gate, 1, useless, useless, useless);
            frames++;
        }
        assertTrue(frames < 50, "frames until off: " + frames);
    }

    @Test
    void turnsOnWithinOneTurnOfProbesWhenDataBeginToCompress() {
        CompressionGate gate = gate(3);
        NodeProxy good = new NodeProxy(0.2, 0.1, 0.1);
        NodeProxy useless = new NodeProxy(1, 0.1, 0.1);
        send(gate, SETTLED, useless, useless, useless);
        assertEquals(CompressionGate.OFF, gate.verdict(CLASS));

        int frames = 0;
        while (gate.verdict(CLASS) == CompressionGate.OFF && frames < SETTLED) {
            send(gate, 1, good, good, good);
            frames++;
        }
        assertTrue(frames <= ProbeSchedule.LONGEST + ProbeSchedule.FOLLOW_UP, "frames until on: " + frames);
    }

    @Test
    void noiseDoesNotTurnTheVerdictBackAndForth() {
        Property.holds(40, random -> {
            CompressionGate gate = gate(2);
            double cost = random.nextDouble(0.1, 0.9);
            NodeProxy one = new NodeProxy(0.5, cost / 2, cost / 2);
            NodeProxy two = new NodeProxy(0.5, cost / 2 * 0.97, cost / 2);
            send(gate, 1000, one, two);
            int changes = 0;
            int verdict = gate.verdict(CLASS);
            for (int i = 0; i < SETTLED; i++) {
                int chosen = gate.next(CLASS);
                if (chosen != CompressionGate.OFF) {
                    run(gate, chosen, chosen == 0 ? one : two, random.nextInt(1, 2 * LENGTH), noise(random));
                }
                changes += gate.verdict(CLASS) == verdict ? 0 : 1;
                verdict = gate.verdict(CLASS);
            }
            assertTrue(changes <= 4, "changes: " + changes + " at cost " + cost);
        });
    }

    /** A tenth up or down, and now and then a thread that was interrupted for a thousand times as long. */
    private static double noise(SplittableRandom random) {
        return random.nextInt(500) == 0 ? 1000 : random.nextDouble(0.9, 1.1);
    }

    @Test
    void anInterruptedWarmUpIsForgotten() {
        NodeProxy good = new NodeProxy(0.2, 0.1, 0.1);
        for (int interrupted = 0; interrupted < 4; interrupted++) {
            CompressionGate gate = gate(1);
            for (int frame = 0; frame < 4; frame++) {
                run(gate, gate.next(CLASS), good, LENGTH, frame == interrupted ? 10_000 : 1);
            }
            assertEquals(0, gate.verdict(CLASS), "interrupted in frame " + interrupted);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void fewerThanOneFrameInAHundredIsAProbe(int candidates) {
        CompressionGate gate = gate(candidates);
        NodeProxy[] useless = new NodeProxy[candidates];
        Arrays.fill(useless, new NodeProxy(1, 0.1, 0.1));
        int first = send(gate, 4 * candidates, useless);
        assertEquals(4 * candidates, first, "the first frames are all probes");

        int probes = send(gate, 100_000, useless);
        assertTrue(probes > 90 && probes < 150, "probes: " + probes);
    }

    /** Every other frame would pay by itself, and all of them together do not. */
    @Test
    void evenDataThatKeepProbesSurprisedCostFewProbes() {
        CompressionGate gate = gate(3);
        NodeProxy good = new NodeProxy(0.2, 0.35, 0.2);
        NodeProxy useless = new NodeProxy(1, 0.35, 0.2);
        SplittableRandom random = new SplittableRandom(1);
        int tried = 0;
        for (int i = 0; i < 200_000; i++) {
            int chosen = gate.next(CLASS);
            if (chosen != CompressionGate.OFF) {
                run(gate, chosen, random.nextBoolean() ? good : useless, LENGTH, 1);
                tried++;
            }
        }
        assertTrue(tried < 4_000, "frames tried: " + tried);
    }

    @Test
    void sameNumbersGiveTheSameVerdictsFrameByFrame() {
        CompressionGate one = gate(3);
        CompressionGate two = gate(3);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 50_000; i++) {
            int chosen = one.next(CLASS);
            assertEquals(chosen, two.next(CLASS));
            assertEquals(one.isProbing(), two.isProbing());
            if (chosen != CompressionGate.OFF) {
                NodeProxy candidate = new NodeProxy(random.nextDouble(0.3, 1.2), random.nextDouble(), 0.1);
                assertEquals(run(one, chosen, candidate, LENGTH, 1), run(two, chosen, candidate, LENGTH, 1));
            }
        }
    }

    @Test
    void classesAreJudgedApart() {
        CompressionGate gate = gate(1);
        int other = FrameClass.COUNT - 1;
        send(gate, SETTLED, new NodeProxy(0.2, 0.1, 0.1));

        assertEquals(0, gate.verdict(CLASS));
        assertEquals(CompressionGate.OFF, gate.verdict(other));
        assertEquals(0, gate.next(other));
        assertTrue(gate.isProbing());
        assertFalse(gate.encoded(other, 0, LENGTH, LENGTH, 1000));
        assertEquals(0, gate.verdict(CLASS));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void refusesALinkRateThatIsNone(double rate) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> gate(1).linkRate(rate));
        assertTrue(refusal.getMessage().contains(String.valueOf(rate)), refusal.getMessage());
    }
}
