package io.sluice.perf.latency;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.CommandedBroadcast;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.WorkerTask;
import io.sluice.perf.nodes.PollingThread;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.agrona.concurrent.SleepingIdleStrategy;

/**
 * Workers in a chain. First, they receive broadcasts of a single frame, and each worker records when it has applied the
 * frame. Then control frames travel between the server's host and that of the last worker, first on idle links, then
 * while long broadcasts fill every link.
 */
final class HopsTask implements WorkerTask<long[]> {
    private static final double NS = 1e9;
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Number of floats of a slice whose frame is the longest that fits in one fragment of shared memory. */
    static final int FRAME_ELEMENTS = 16_320;

    /** Number of measured broadcasts for each warm-up broadcast. */
    private static final int COUNTED_PER_WARMUP = 5;

    private final Cluster cluster;
    private final int warmup;
    private final int bulks;
    private final int asks;
    private final long everyNs;
    private final float[] frame = new float[FRAME_ELEMENTS];
    private final float[] bulk;

    /** Arrival times of each worker; complete when all workers have ended the last broadcast of a single frame. */
    private final long[][] arrivals;

    private final DoubleStream.Builder idle = DoubleStream.builder();
    private final DoubleStream.Builder loaded = DoubleStream.builder();

    /**
     * Prepares the task of all workers.
     *
     * @param frames measured broadcasts of one frame
     * @param bulks  long broadcasts
     * @param asks   control frames while links are idle
     */
    HopsTask(Cluster cluster, int frames, int bulkElements, int bulks, int asks, long everyNs) {
        this.cluster = cluster;
        this.warmup = Math.ceilDiv(frames, COUNTED_PER_WARMUP);
        this.bulks = bulks;
        this.asks = asks;
        this.everyNs = everyNs;
        bulk = new float[bulkElements];
        arrivals = new long[cluster.star().workers()][warmup + frames];
        Arrays.fill(frame, 1);
        Arrays.fill(bulk, 1);
    }

    @Override
    public long[] train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
        Table single = worker.table("frame", 1, frame.length);
        Table all = worker.table("bulk", 1, bulk.length);
        worker.start(Initialiser.ZEROS);
        long[] own = arrivals[worker.index()];
        for (int i = 0; i < own.length; i++) {
            own[i] = broadcast(worker, single, all, frame, rendezvous, null);
        }
        // Workers compare arrivals only after this point, when all are recorded; otherwise several could act as the
        // last one.
        rendezvous.await();
        boolean deepest = worker.index() == chain(arrivals).getLast();
        try (Echo echo = deepest ? echo(worker.index()) : null) {
            rendezvous.await();
            for (int i = 0; deepest && i < asks; i++) {
                ask(echo, idle);
                TimeUnit.NANOSECONDS.sleep(everyNs);
            }
            rendezvous.await();
            rendezvous.await();
            for (int i = 0; i < bulks; i++) {
                broadcast(worker, all, single, bulk, rendezvous, echo);
            }
        }
        return own;
    }

    private Echo echo(int worker) {
        return Echo.overUdp(cluster, cluster.serverHost(0), cluster.workerHost(worker));
    }

    /** Broadcasts one table; returns the time at which this worker had it ({@link System#nanoTime}). */
    private long broadcast(Worker worker, Table table, Table other, float[] update, Rendezvous rendezvous, Echo echo)
            throws InterruptedException {
        CommandedBroadcast.prepare(worker, table, update, QUIET_NS);
        rendezvous.await();
        rendezvous.await();
        float[] command = CommandedBroadcast.command(update.length, FRAME_ELEMENTS, 1);
        PollingThread asking = echo == null
                ? null
                : new PollingThread("asking", new SleepingIdleStrategy(everyNs), () -> ask(echo, loaded));
        CommandedBroadcast.start(worker, table, command);
        table.sync();
        long arrived = System.nanoTime();
        if (asking != null) {
            asking.close();
            asking.requireSound();
        }
        other.sync();
        rendezvous.await();
        rendezvous.await();
        return arrived;
    }

    private static int ask(Echo echo, DoubleStream.Builder seen) {
        seen.add(echo.ask() / NS);
        return 0; // so that the thread pauses
    }

    /** Workers in the order of the chain: the worker that received the frames first is first. */
    static List<Integer> chain(long[][] arrivals) {
        return IntStream.range(0, arrivals.length)
                .boxed()
                .sorted(Comparator.comparingLong(worker -> behind(arrivals, worker)))
                .toList();
    }

    private static long behind(long[][] arrivals, int worker) {
        return IntStream.range(0, arrivals[worker].length)
                .mapToLong(i -> arrivals[worker][i] - arrivals[0][i])
                .sum();
    }

    /** Number of warm-up broadcasts of one frame. */
    int warmup() {
        return warmup;
    }

    /**
     * Number of trials: one for each single frame, one for the control frames on idle links, one for each long
     * broadcast.
     */
    int trials() {
        return arrivals[0].length + 1 + bulks;
    }

    /** Round-trip times of control frames on idle links, in seconds; call this once, after all workers have ended. */
    double[] idle() {
        return idle.build().toArray();
    }

    /** Round-trip times of control frames under long broadcasts, in seconds. */
    double[] loaded() {
        return loaded.build().toArray();
    }
}
