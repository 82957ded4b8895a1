package io.sluice.messaging;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.function.ToIntFunction;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The load of a host, as the factor by which the allowed silence of a peer is extended because threads wait for
 * processors. On Linux it follows the number of runnable threads, read once a second; elsewhere every host counts
 * as quiet. The factor rises at once and falls by a quarter of the difference per second, so that one low sample
 * between two bursts does not make a peer overdue.
 *
 * <p>Any thread may call this. Allocates nothing after construction.
 */
public final class HostLoad {
    /** The load of a host that is never overcommitted. */
    public static final HostLoad QUIET = new HostLoad(_ -> 0, 1, () -> 0);

    /** Maximum of the factor. */
    public static final int MOST = 4;

    /** Runnable threads per processor up to which heartbeats are on time. */
    private static final int USUAL = 4;

    private static final long INTERVAL_NS = 1_000_000_000;
    private static final double FALL = 0.25;
    private static final int LONGEST = 128;
    private static final HostLoad HERE = new HostLoad(
            newReader("/proc/loadavg"), Runtime.getRuntime().availableProcessors(), SystemNanoClock.INSTANCE);

    private final ToIntFunction<byte[]> file;
    private final double usual;
    private final NanoClock clock;
    private final byte[] text = new byte[LONGEST];
    private volatile long sampledNs;
    private volatile double factor = 1;

    /**
     * Takes the first sample when it is due.
     *
     * @param file       copies the text of {@code /proc/loadavg} and returns its length; 0 if there is none.
     * @param processors processors of this host.
     * @param clock      monotonic.
     */
    HostLoad(ToIntFunction<byte[]> file, int processors, NanoClock clock) {
        this.file = file;
        this.usual = (double) USUAL * processors;
        this.clock = clock;
        this.sampledNs = clock.nanoTime() - INTERVAL_NS;
    }

    /** The load of this host. */
    public static HostLoad here() {
        return HERE;
    }

    /** Creates a reader of a file that stays open. It does not use a channel, which an interrupt would close. */
    private static ToIntFunction<byte[]> newReader(String path) {
        try {
            RandomAccessFile file = new RandomAccessFile(path, "r");
            return into -> {
                try {
                    file.seek(0);
                    return file.read(into);
                } catch (IOException e) {
                    return 0;
                }
            };
        } catch (IOException e) {
            return _ -> 0;
        }
    }

    /** The factor by which the allowed silence is extended: 1 to {@link #MOST}. */
    public double factor() {
        if (clock.nanoTime() - sampledNs >= INTERVAL_NS) {
            sample();
        }
        return factor;
    }

    private synchronized void sample() {
        long nowNs = clock.nanoTime();
        long seconds = (nowNs - sampledNs) / INTERVAL_NS;
        if (seconds > 0) { // otherwise another thread has just taken the sample
            double sampled = Math.clamp(runnable(file.applyAsInt(text)) / usual, 1, MOST);
            factor = Math.max(sampled, sampled + (factor - sampled) * Math.pow(1 - FALL, seconds));
            sampledNs = nowNs;
        }
    }

    /**
     * The number of runnable threads, which is before the slash in {@code 6.61 8.43 8.07 11/154 18067}; 0 if there is
     * no such number.
     */
    private int runnable(int length) {
        int slash = 0;
        while (slash < length && text[slash] != '/') {
            slash++;
        }
        int runnable = 0;
        int unit = 1;
        for (int at = slash - 1; slash < length && at >= 0 && text[at] >= '0' && text[at] <= '9'; at--) {
            runnable += unit * (text[at] - '0');
            unit *= 10;
        }
        return runnable;
    }
}
