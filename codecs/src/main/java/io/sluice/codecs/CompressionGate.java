package io.sluice.codecs;

import java.util.Arrays;

/**
 * Decides, for each class of frames, which of some candidate compressors to use, or none. A candidate pays where
 *
 * <pre>bytes saved / link rate &gt; time to encode + time to decode</pre>
 *
 * <p>and the one with the largest difference is chosen. Link rate is given, the rest are running measurements: of every
 * block that is compressed, and of probes, which are compressed, and decompressed by the sender in the receiver's
 * stead, to be measured. {@link ProbeSchedule} says which frames are probes: beyond the first few of a class, fewer
 * than one in a hundred.
 *
 * <p>What is not in use must win by 10 % on both sides of the inequality before it replaces what is, so that noise does
 * not turn the verdict back and forth.
 *
 * <p>For one thread. Allocates nothing once made. Works on numbers alone; {@link PayloadCompressor} does the work.
 */
public final class CompressionGate {
    /** The verdict against every candidate. */
    public static final int OFF = -1;

    private static final double MARGIN = 0.1;
    private static final double NS_PER_SECOND = 1e9;

    private final int candidates;
    private final ProbeSchedule[] schedules = new ProbeSchedule[FrameClass.COUNT];
    private final RunningCost[] costs;
    private final int[] choices = new int[FrameClass.COUNT];
    private double linkNsPerByte;
    private boolean probing;

    /**
     * Makes a gate whose verdicts are all {@link #OFF}.
     *
     * @param candidates how many there are, from 1
     * @param linkBytesPerSecond see {@link #linkRate}
     */
    CompressionGate(int candidates, double linkBytesPerSecond) {
        this.candidates = candidates;
        this.costs = new RunningCost[FrameClass.COUNT * candidates];
        Arrays.setAll(schedules, _ -> new ProbeSchedule(candidates));
        Arrays.setAll(costs, _ -> new RunningCost());
        Arrays.fill(choices, OFF);
        linkRate(linkBytesPerSecond);
    }

    /**
     * Tells how fast the link is, from now on. Verdicts follow with the frames to come.
     *
     * @param bytesPerSecond above 0 and finite
     * @throws IllegalArgumentException if it is not
     */
    void linkRate(double bytesPerSecond) {
        if (!(bytesPerSecond > 0 && bytesPerSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "link rate is " + bytesPerSecond + " bytes/s, expected a finite number above 0");
        }
        linkNsPerByte = NS_PER_SECOND / bytesPerSecond;
    }

    /**
     * Counts a frame of a class.
     *
     * @return the candidate to run on it and to report to {@link #encoded}, or {@link #OFF}
     */
    int next(int frameClass) {
        int probe = schedules[frameClass].next();
        probing = probe != ProbeSchedule.NONE;
        return probing ? probe : choices[frameClass];
    }

    /** Whether the frame just counted is a probe, so that {@link #decoded} is wanted too, before {@link #encoded}. */
    boolean isProbing() {
        return probing;
    }

    /** Tells how long it took to decompress a block of a raw length that a probe had shortened. */
    void decoded(int frameClass, int candidate, int raw, long ns) {
        costs[at(frameClass, candidate)].decoded(raw, ns);
    }

    /**
     * Tells what a candidate made of a block, and judges its class anew.
     *
     * @param in length of the block
     * @param out length after compression; {@code in} if it did not get shorter
     * @param ns time it took
     * @return whether the candidate pays: the frame is to be sent so
     */
    boolean encoded(int frameClass, int candidate, int in, int out, long ns) {
        RunningCost cost = costs[at(frameClass, candidate)];
        cost.encoded(in, out, ns);
        judge(frameClass);
        boolean off = choices[frameClass] == OFF;
        if (probing && off && challenge(1 - (double) out / in, cost.nsPerByte()) > 0) {
            schedules[frameClass].onSurprise(candidate);
        }
        return !off && gain(frameClass, candidate) > 0;
    }

    /** The candidate in use for a class, or {@link #OFF}. */
    int verdict(int frameClass) {
        return choices[frameClass];
    }

    private void judge(int frameClass) {
        int best = OFF;
        double most = 0;
        for (int candidate = 0; candidate < candidates; candidate++) {
            double gain = gain(frameClass, candidate);
            if (gain > most) {
                most = gain;
                best = candidate;
            }
        }
        if (best != choices[frameClass]) {
            choices[frameClass] = best;
            schedules[frameClass].onChange();
        }
    }

    /** Time won by a candidate, in nanoseconds for each byte of a block; the one in use is not handicapped. */
    private double gain(int frameClass, int candidate) {
        RunningCost cost = costs[at(frameClass, candidate)];
        if (!cost.isKnown()) {
            return 0;
        }
        return candidate == choices[frameClass]
                ? cost.savedShare() * linkNsPerByte - cost.nsPerByte()
                : challenge(cost.savedShare(), cost.nsPerByte());
    }

    private double challenge(double savedShare, double nsPerByte) {
        return savedShare * linkNsPerByte * (1 - MARGIN) - nsPerByte * (1 + MARGIN);
    }

    private int at(int frameClass, int candidate) {
        return frameClass * candidates + candidate;
    }
}
