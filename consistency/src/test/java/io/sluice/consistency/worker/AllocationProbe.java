package io.sluice.consistency.worker;

import com.sun.management.ThreadMXBean;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.Settings;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Measures in a JVM of its own, like that of a trainer, because code compiled earlier would change the compilation. */
final class AllocationProbe {
    private static final int BATCH = 500;

    /** Number of batches in a row that must allocate nothing. */
    private static final int CLEAN = 4;

    /** Limit for a busy machine; an idle one takes a few seconds. */
    private static final long MEASURING_S = 180;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Whether there is another batch, for the worker that does not measure. */
    private final BlockingQueue<Boolean> batches = new LinkedBlockingQueue<>();

    private long[] lanes = {};
    private long reported;
    private EvaluationCopy copy;
    private final int most;

    /** Bytes that a worker allocated in each of the last batches. */
    private final long[] atWorker = new long[CLEAN];

    private final long[] atServer = new long[CLEAN];

    private AllocationProbe(int most) {
        this.most = most;
        Arrays.fill(atWorker, Long.MAX_VALUE); // too few batches prove nothing
        Arrays.fill(atServer, Long.MAX_VALUE);
    }

    /**
     * Takes medium, compressor, protocol, consistency, lanes, order, filter, budget of a link, floats of a slice, the
     * tree (unless it is flat, a second worker is the child of the first; with protocol peer there is a second one,
     * too), and the largest number of batches to measure. Ends with the first {@value #CLEAN} batches in a row that
     * allocate nothing. Prints the most bytes that one of the last {@value #CLEAN} allocated in the worker, including
     * its other threads and the relays of both workers, and in the server.
     */
    public static void main(String[] args) throws InterruptedException {
        boolean mayWeigh = "update".equals(args[2]) && "bsp".equals(args[3]);
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers("flat".equals(args[9]) && !"peer".equals(args[2]) ? 1 : 2)
                .tree(args[9])
                .transport("ipc".equals(args[0]) ? TransportKind.IPC : TransportKind.UDP)
                .compressor(args[1])
                .protocol(Settings.constant("protocol", args[2], Protocol.class))
                .consistency(args[3])
                .order(args[5])
                .filter(args[6])
                .rule("s", mayWeigh ? "mean;weighted" : "sum")
                .linkBudget(args[7], 1 << 20)
                .sliceElements(Integer.parseInt(args[8]))
                .build();
        int lanes = Integer.parseInt(args[4]);
        AllocationProbe probe = new AllocationProbe(Integer.parseInt(args[10]));
        try (TestDriver driver = TestDriver.launchForLongFrames();
                TestCluster cluster = TestCluster.start(driver, settings)
                        .adjustWorkers(worker -> worker.filterLanes(lanes).onClock(probe::onClock))) {
            CountDownLatch measured = new CountDownLatch(1);
            cluster.train(worker -> {
                try {
                    if (0 == worker.index()) {
                        probe.measure(worker, cluster.thread("server 0").threadId());
                    } else {
                        probe.follow(worker);
                    }
                } finally {
                    measured.countDown();
                }
            });
            measured.await(); // the cluster's patience only limits its end
            cluster.awaitSuccess();
        }
        System.out.println("worker " + worst(probe.atWorker) + ", server " + worst(probe.atServer));
    }

    private void onClock(ClockFigures figures) {
        reported += figures.bytesPushed() + figures.waitNs();
    }

    /** Evaluates copies of the parameters until the worker ends. */
    private void evaluate() {
        try {
            while (copy.await() >= 0) {
                copy.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Bytes allocated by this thread and by the threads that filter alongside it. */
    private long allocatedByTrainer() {
        long bytes = threads.getCurrentThreadAllocatedBytes();
        for (long lane : lanes) {
            bytes += threads.getThreadAllocatedBytes(lane);
        }
        return bytes;
    }

    private static Trained declare(Worker worker) {
        Table table = worker.table("w", 8, 1024);
        Table sparse = worker.table("s", 4, 10);
        boolean isPeer = worker.settings().isPeer();
        boolean mayShareVectors = (isPeer || worker.settings().protocol() == Protocol.UPDATE)
                && worker.rule().isBounded();
        String multicast = isPeer ? "all;broken=50;sync=3;rotate=2" : "all";
        FactorTable factors = mayShareVectors ? worker.factors("f", 16, 64, 2, "all", multicast) : null;
        worker.start(Initialiser.ZEROS);
        float[] update = new float[8 * 1024];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < update.length; i++) {
            update[i] = (float) random.nextDouble(-1, 1);
        }
        boolean weighs = !"sum".equals(worker.settings().table("s").rule());
        return new Trained(
                worker,
                table,
                sparse,
                weighs,
                factors,
                update,
                new float[16],
                new float[64],
                new int[] {3, 5},
                new float[] {1, 2});
    }

    /**
     * A worker with a large table, which is updated, a small table, of which one element is updated in every second
     * clock, and, if the terms allow it, a factor table. If they allow weights, every push of the small table has one.
     */
    private record Trained(
            Worker worker,
            Table table,
            Table sparse,
            boolean weighs,
            FactorTable factors,
            float[] update,
            float[] u,
            float[] v,
            int[] columns,
            float[] few) {
        void batch(boolean managed) {
            for (int i = 0; i < BATCH; i++) {
                table.sync();
                if (weighs) {
                    worker.weigh(1 + i % 3);
                }
                if (managed) {
                    table.accumulate(update);
                    worker.work();
                }
                table.update(update);
                sparse.inc(1, 2, i % 2 * 0.5f);
                if (factors != null) {
                    factors.sync();
                    u[i % u.length] = 0.5f;
                    factors.add(u, v);
                    factors.add(u, columns, few);
                    v[i % v.length] = 0.25f;
                }
                worker.clock();
            }
        }
    }

    /** Takes part in each batch of the worker that measures. */
    private void follow(Worker worker) throws InterruptedException {
        Trained trained = declare(worker);
        while (batches.take()) {
            trained.batch(false);
        }
    }

    private static long worst(long[] batches) {
        return Arrays.stream(batches).max().orElseThrow();
    }

    private void measure(Worker worker, long serverThread) {
        Trained trained = declare(worker);
        copy = worker.evaluationCopy();
        Thread.ofPlatform().daemon().start(this::evaluate);
        lanes = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("sluice-(filter-lane|sender|relay).*"))
                .mapToLong(Thread::threadId)
                .toArray();
        boolean managed = worker.settings().isManaged();
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(MEASURING_S);
        int clean = 0;
        for (int batch = 0; batch < most && clean < CLEAN && System.nanoTime() < endNs; batch++) {
            batches.add(true);
            long serverBefore = threads.getThreadAllocatedBytes(serverThread);
            long workerBefore = allocatedByTrainer();
            trained.batch(managed);
            copy.offer();
            int at = batch % CLEAN;
            atWorker[at] = allocatedByTrainer() - workerBefore;
            atServer[at] = threads.getThreadAllocatedBytes(serverThread) - serverBefore;
            clean = atWorker[at] == 0 && atServer[at] == 0 ? clean + 1 : 0;
        }
        batches.add(false);
        if (managed && 0 == worker.stats().framesEarly()) {
            throw new IllegalStateException("no frame was sent early: there was nothing to measure");
        }
        if (0 == reported) {
            throw new IllegalStateException("no clock was reported: there was nothing to measure");
        }
        if (worker.settings().workers() > 1 && 0 == worker.bytesRelayed() + worker.bytesToPeers()) {
            throw new IllegalStateException("nothing was passed on: there was nothing to measure");
        }
    }
}
