package io.sluice.perf.hops;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.LabCluster;
import io.sluice.perf.cluster.QuietLinks;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.WorkerTask;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Workers in a chain. First, broadcasts of a single frame, of which each worker notes when it has applied it; then
 * control frames between the server's host and that of the last worker of the chain, while all is quiet; then the same
 * while long broadcasts keep every link busy.
 *
 * <p>Worker 0 pushes what is broadcast, and the last one gives the word that the server waits for.
 */
final class HopsTask implements WorkerTask<long[]> {
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(100);
    private static final int DIGITS = 3;

    private final LabCluster cluster;
    private final HopsPlan plan;
    private final float[] frame = new float[HopsPlan.FRAME_ELEMENTS];
    private final float[] bulk;

    /** When each worker had the frames; complete when all have ended the last of those broadcasts. */
    private final long[][] arrivals;

    private final Histogram idle = new Histogram(LONGEST_NS, DIGITS);
    private final Histogram loaded = new Histogram(LONGEST_NS, DIGITS);

    /** One of all workers' tasks. */
    HopsTask(LabCluster cluster, HopsPlan plan) {
        this.cluster = cluster;
        this.plan = plan;
        bulk = new float[Math.toIntExact(plan.bulkElements())];
        arrivals = new long[plan.star().workers()][plan.warmup() + plan.frames()];
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
        // Only behind this are all arrivals noted: workers that look sooner may each take itself for the last.
        rendezvous.await();
        boolean deepest = worker.index() == chain(arrivals).getLast();
        try (ControlEcho echo = deepest ? echo(worker.index()) : null) {
            rendezvous.await();
            for (int i = 0; deepest && i < plan.asks(); i++) {
                echo.ask(idle);
                TimeUnit.NANOSECONDS.sleep(plan.everyNs());
            }
            rendezvous.await();
            rendezvous.await();
            for (int i = 0; i < plan.bulks(); i++) {
                broadcast(worker, all, single, bulk, rendezvous, echo);
            }
        }
        return own;
    }

    private ControlEcho echo(int worker) {
        return new ControlEcho(cluster, cluster.serverHost(0), cluster.workerHost(worker));
    }

    /** Broadcasts one table; returns when this worker had it, by {@link System#nanoTime}. */
    private long broadcast(
            Worker worker, Table table, Table other, float[] update, Rendezvous rendezvous, ControlEcho echo)
            throws InterruptedException {
        boolean last = worker.index() == worker.workers() - 1;
        if (worker.index() == 0) {
            table.update(update);
        }
        if (!last) {
            worker.clock();
        }
        QuietLinks.await(worker, QUIET_NS);
        rendezvous.await();
        rendezvous.await();
        Asking asking = echo == null ? null : new Asking(echo, plan.everyNs(), loaded);
        if (last) {
            table.update(word(update.length));
            worker.clock();
        }
        table.sync();
        long arrived = System.nanoTime();
        if (asking != null) {
            asking.end();
        }
        other.sync();
        rendezvous.await();
        rendezvous.await();
        return arrived;
    }

    /** An element of each slice, so that servers may send them one by one. */
    private static float[] word(int elements) {
        float[] word = new float[elements];
        for (int i = 0; i < elements; i += HopsPlan.FRAME_ELEMENTS) {
            word[i] = 1;
        }
        return word;
    }

    /**
     * Workers by their places in the chain: who had the frames first stands first.
     *
     * @param arrivals of each worker
     * @return their indices
     */
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

    /** Round trips of control frames while all was quiet, in nanoseconds; to be read when all workers have ended. */
    Histogram idle() {
        return idle;
    }

    /** The same under long broadcasts. */
    Histogram loaded() {
        return loaded;
    }
}
