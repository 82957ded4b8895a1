package io.sluice.messaging.bandwidth;

import java.util.Arrays;
import java.util.SplittableRandom;

/** A tight link with a queue, cross traffic in bursts, and hosts whose threads are late now and then. */
final class SimulatedPath implements ProbePath {
    private static final double NS = 1e-9;

    private final SplittableRandom random;
    private final double capacity;
    double cross;
    double queueLimit = 4e6;

    /** Bytes that pass at once after silence. */
    double bucket;

    int crossPacket = 1_500;
    long jitterNs = 30_000;
    double pauseChance = 0.002;
    boolean silent;
    long sentBytes;
    private double queue;
    private long queueAtNs;
    private double crossDue;
    private long nowNs;

    SimulatedPath(SplittableRandom random, double capacity) {
        this.random = random;
        this.capacity = capacity;
    }

    @Override
    public StreamArrival send(StreamShape shape) {
        sentBytes += shape.wireBytes();
        for (int i = 0; i < shape.primers(); i++) {
            nowNs += 3_000;
            cross(nowNs, shape.length() + StreamShape.OVERHEAD);
        }
        long start = nowNs;
        int[] delays = new int[shape.steps()];
        int count = 0;
        int received = 0;
        long first = -1;
        long last = 0;
        long awakeNs = 0;
        for (int step = 0; step < shape.steps(); step++) {
            for (int part = 0; part < shape.parts(); part++) {
                long sent = start + step * Math.max(shape.periodNs(), 3_000) + part * 3_000L;
                long arrived = cross(sent, shape.length() + StreamShape.OVERHEAD);
                if (arrived < 0) {
                    continue;
                }
                if (random.nextDouble() < pauseChance) {
                    awakeNs = arrived + random.nextLong(2_000_000);
                }
                // A receiver that was not running stamps late, and then stamps waiting datagrams one after another.
                long stamped = Math.max(arrived, awakeNs) + random.nextLong(1, jitterNs);
                awakeNs = Math.max(awakeNs, stamped - jitterNs);
                received++;
                first = first < 0 ? stamped : first;
                last = Math.max(last, stamped);
                if (part == shape.parts() - 1) {
                    delays[count++] = (int) (stamped - sent);
                }
            }
        }
        nowNs = Math.max(nowNs + shape.durationNs(), last);
        if (silent) {
            return null;
        }
        return new StreamArrival(Arrays.copyOf(delays, count), received, last - first, shape.durationNs(), false);
    }

    private long cross(long atNs, int bytes) {
        double elapsed = Math.max(0, atNs - queueAtNs) * NS;
        crossDue += cross * elapsed;
        double burst = 0;
        while (crossDue > 0) {
            burst += crossPacket;
            crossDue -= crossPacket * random.nextDouble(0.5, 1.5);
        }
        queue = Math.max(-bucket, queue + burst - capacity * elapsed);
        queueAtNs = Math.max(queueAtNs, atNs);
        if (queue + bytes > queueLimit) {
            return -1;
        }
        queue += bytes;
        return atNs + (long) (Math.max(0, queue) / capacity / NS);
    }

    @Override
    public void pause(long ns) {
        nowNs += ns;
    }

    @Override
    public long nanoTime() {
        return nowNs;
    }

    @Override
    public int longestDatagram() {
        return 1_452;
    }
}
