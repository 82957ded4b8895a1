package io.sluice.messaging.bandwidth;

import io.sluice.messaging.Settings;
import io.sluice.messaging.bandwidth.AvailableBandwidth.End;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Finds the available bandwidth of a path by self-loading periodic streams (SLoPS), as pathload does (Jain and
 * Dovrolis, IEEE/ACM ToN 11(4), 2003). A stream is a series of datagrams at one rate. Their delays increase if and only
 * if the rate exceeds the available bandwidth. Fleets of streams, at rates that converge, find that bandwidth.
 *
 * <p>The search begins with three trains of back-to-back datagrams. The rate at which a train arrives lies between the
 * available bandwidth and the capacity (section II), so twice that rate is a safe upper bound.
 *
 * <p>A search runs on the calling thread, takes seconds, and sends within its limit for at most a quarter of the time.
 * Only one search runs at a time.
 */
public final class AvailableBandwidthSearch {
    private static final int TRAINS = 3;
    private static final double GUESS_OVER_TRAINS = 2;

    /** After a stream the path rests for this multiple of its length, so that its queue drains. */
    private static final int REST = 3;

    private static final long SHORTEST_REST_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int UNANSWERED_IN_A_ROW = 2;

    /** Maximum number of streams of a fleet that are sent again because their sender was late. */
    private static final int MOST_SPOILED = 5;

    /** Share of a rate: a sender whose best stream stays below it cannot reach the rate. */
    private static final double NEARLY = 0.95;

    private static final double NS_PER_SECOND = 1e9;

    private final ProbePath path;
    private final Limits limits;
    private final long startNs;
    private long bytes;
    private int streams;
    private int unanswered;
    private End end;

    private AvailableBandwidthSearch(ProbePath path, Limits limits) {
        this.path = path;
        this.limits = limits;
        this.startNs = path.nanoTime();
    }

    /**
     * The limits of a search.
     *
     * @param bytes      bytes that may be sent, on the wire
     * @param durationNs nanoseconds after which no stream is begun
     * @param ceiling    highest rate to try, in bytes per second
     * @param resolution share of the upper bound that may be left uncertain, 0.01 to 0.5
     * @param fleet      streams of one rate, 3 to 100
     */
    public record Limits(long bytes, long durationNs, double ceiling, double resolution, int fleet) {
        /** The default limits: 128 MiB, 15 s, 10 Gbit/s, 10 %, fleets of 10. */
        public static final Limits DEFAULT = new Limits(128L << 20, TimeUnit.SECONDS.toNanos(15), 1.25e9, 0.1, 10);

        /** Refuses limits out of range. */
        public Limits {
            Settings.inRange("bytes of a search", bytes, 1, Long.MAX_VALUE);
            Settings.inRange("durationNs of a search", durationNs, 1, Long.MAX_VALUE);
            Settings.inRange("ceiling of a search", (long) ceiling, 125_000, Long.MAX_VALUE);
            Settings.inRange("resolution of a search in percent", (long) (100 * resolution), 1, 50);
            Settings.inRange("fleet of a search", fleet, 3, 100);
        }
    }

    /**
     * Searches a path, on this thread.
     *
     * @param prober prober of a path at whose other end there is a {@link ProbeReflector}
     * @param limits limits of the search
     * @return the result, even if a limit ended the search
     * @throws IOException if nothing can be sent
     */
    public static AvailableBandwidth run(Prober prober, Limits limits) throws IOException {
        return search(prober.path(), limits);
    }

    static AvailableBandwidth search(ProbePath path, Limits limits) throws IOException {
        return new AvailableBandwidthSearch(path, limits).search();
    }

    private AvailableBandwidth search() throws IOException {
        RateSearch search = new RateSearch(guess(), limits.ceiling(), limits.resolution());
        while (end == null && !search.isDone()) {
            fleet(search, search.next());
        }
        if (end == null) {
            end = search.isBounded() ? End.RESOLVED : End.UNBOUNDED;
        }
        return new AvailableBandwidth(search.low(), search.high(), end, bytes, streams, path.nanoTime() - startNs);
    }

    private double guess() throws IOException {
        double rate = 0;
        double fastest = 0;
        for (int i = 0; i < TRAINS && end == null; i++) {
            StreamShape train = StreamShape.train(path.longestDatagram(), rate);
            StreamArrival arrival = send(train);
            if (arrival != null && arrival.spanNs() > 0) {
                double bytes = (arrival.received() - 1) * (double) (train.length() + StreamShape.OVERHEAD);
                rate = bytes * NS_PER_SECOND / arrival.spanNs();
                // The first train has no primer, so the burst of a token bucket may have made it too fast. Its rate
                // counts only for the size of the primers before later trains (StreamShape).
                fastest = train.primers() == 0 ? 0 : Math.max(fastest, rate);
            }
        }
        return fastest == 0 ? limits.ceiling() : GUESS_OVER_TRAINS * fastest;
    }

    /** Sends a fleet of one rate and reports the result to the search. */
    private void fleet(RateSearch search, double rate) throws IOException {
        StreamShape shape = StreamShape.ofRate(rate, path.longestDatagram());
        Fleet fleet = new Fleet(limits.fleet());
        int spoiled = 0;
        double managed = 0;
        while (fleet.verdict() == Fleet.Verdict.UNDECIDED && end == null) {
            StreamArrival arrival = send(shape);
            if (arrival == null) {
                continue;
            }
            if (arrival.spoiled() && spoiled < MOST_SPOILED) {
                spoiled++;
                managed = Math.max(managed, rate * shape.durationNs() / arrival.sendNs());
            } else if (arrival.spoiled() && managed < NEARLY * rate) {
                search.limit(managed);
                return;
            } else {
                fleet.add(DelayTrend.of(arrival.delays()), arrival.loss(shape));
            }
        }
        if (fleet.verdict() != Fleet.Verdict.UNDECIDED) {
            search.settle(rate, fleet.verdict());
        }
    }

    private StreamArrival send(StreamShape shape) throws IOException {
        end = reasonToEnd(shape);
        if (end != null) {
            return null;
        }
        bytes += shape.wireBytes();
        streams++;
        StreamArrival arrival = path.send(shape);
        unanswered = arrival == null ? unanswered + 1 : 0;
        path.pause(Math.max(SHORTEST_REST_NS, REST * shape.durationNs()));
        return arrival;
    }

    private End reasonToEnd(StreamShape shape) {
        if (Thread.currentThread().isInterrupted()) {
            return End.INTERRUPTED;
        }
        if (unanswered >= UNANSWERED_IN_A_ROW) {
            return End.UNANSWERED;
        }
        if (path.nanoTime() - startNs >= limits.durationNs()) {
            return End.OUT_OF_TIME;
        }
        return bytes + shape.wireBytes() > limits.bytes() ? End.OUT_OF_BYTES : null;
    }
}
