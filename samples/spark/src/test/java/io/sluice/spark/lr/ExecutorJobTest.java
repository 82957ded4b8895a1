package io.sluice.spark.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.ReplicaHash;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.LrReference;
import io.sluice.spark.SluiceSpark;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;

/** Jobs on two executors, which are processes of their own, of one application. */
@Tag("slow")
@Timeout(300)
@EnabledOnOs(value = OS.LINUX, disabledReason = "kills processes, and looks into /dev/shm")
class ExecutorJobTest {
    private static final byte[] SECRET = "sixteen bytes or more".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final DescentSettings SETTINGS = new DescentSettings(100, 64, 100, 1);
    private static final int FEATURES = 1 << 14;
    private static final int EVERY = 20;

    private static JavaSparkContext spark;
    private static Dataset mails;
    private static String reference;

    @TempDir
    private Path folder;

    /** What worker 0 returns: the hash of the model, and the clock from which it continued. */
    private record Trained(String hash, long continuedFrom) implements Serializable {}

    @BeforeAll
    static void start() throws IOException {
        spark = Applications.start("local-cluster[2,1,1024]", Applications.FLAGS);
        mails = SpamAssassin.load(FEATURES);
        reference = ReplicaHash.of(LrReference.train(mails, SETTINGS, 2, (clock, loss) -> {}, UpdateListener.NONE));
    }

    @AfterAll
    static void driversEndWithTheirExecutors() {
        List<Path> directories = driverDirectories();
        spark.close();
        await("directories of drivers are gone", () -> directories.stream().noneMatch(Files::exists));
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadlineNs < 0, what);
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Directories of the media drivers of this application's executors. */
    private static List<Path> driverDirectories() {
        return ProcessHandle.current()
                .descendants()
                .map(process -> Path.of("/dev/shm", "sluice-spark-" + process.pid()))
                .filter(Files::exists)
                .sorted()
                .toList();
    }

    private static SluiceSpark<LrPartitions.Example> job(int servers) {
        JavaRDD<LrPartitions.Example> examples = LrPartitions.of(spark, mails, 2, SETTINGS);
        return SluiceSpark.on(examples.rdd())
                .settings(ClusterSettings.builder().servers(servers))
                .secret(SECRET);
    }

    private static Trained train(SluiceSpark<LrPartitions.Example> job, Disturbance disturbance) {
        DescentSettings settings = SETTINGS; // for the closure
        return job.train((worker, partition) -> {
            DescentProgress progress = (clock, loss) -> disturbance.onClock(worker, clock);
            float[] model = LrPartitions.train(worker, partition, FEATURES, settings, progress);
            return new Trained(ReplicaHash.of(model), worker.restoredClock().orElse(0));
        });
    }

    /** What happens to a worker after a clock. */
    @FunctionalInterface
    private interface Disturbance extends Serializable {
        void onClock(Worker worker, int clock);
    }

    @Test
    void twoJobsOfOneApplicationMeetTheReferenceBitForBit() {
        ConcurrentHashMap<String, Long> counters = new ConcurrentHashMap<>();
        SparkListener listener = new SparkListener() {
            @Override
            public void onStageCompleted(SparkListenerStageCompleted event) {
                CollectionConverters.asJava(event.stageInfo().accumulables())
                        .values()
                        .forEach(each -> counters.put(
                                each.name().get(),
                                Long.parseLong(each.value().get().toString())));
            }
        };
        spark.sc().addSparkListener(listener);
        assertEquals(new Trained(reference, 0), train(job(1), (worker, clock) -> {}));
        List<Path> drivers = driverDirectories();
        assertEquals(2, drivers.size(), drivers::toString);
        await("the counters arrive", () -> counters.getOrDefault("sluice clocks", 0L) == 2L * SETTINGS.clocks());
        spark.sc().removeSparkListener(listener);
        for (String each : List.of("sluice bytes pushed", "sluice bytes received", "sluice wait ns")) {
            assertTrue(counters.getOrDefault(each, 0L) > 0, counters::toString);
        }
        assertEquals(new Trained(reference, 0), train(job(3), (worker, clock) -> {}));
        assertEquals(drivers, driverDirectories());
    }

    @Test
    void workersContinueFromTheSnapshotAfterAnExecutorIsKilled() {
        Map<Integer, Long> ends = new ConcurrentHashMap<>();
        SparkListener listener = new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd event) {
                if (0 == event.stageAttemptId()) {
                    ends.put(event.taskInfo().partitionId(), event.taskInfo().finishTime());
                }
            }
        };
        spark.sc().addSparkListener(listener);
        String shared = folder.toString();
        SluiceSpark<LrPartitions.Example> job =
                job(1).snapshots(folder.resolve("snapshots"), String.valueOf(EVERY), false);
        Trained trained = train(job, (worker, clock) -> {
            boolean dies = 1 == worker.index() && EVERY + 5 == clock;
            if (dies && 0 == TaskContext.get().stageAttemptNumber()) {
                killThisProcess(Path.of(shared));
            }
        });
        spark.sc().removeSparkListener(listener);
        assertEquals(new Trained(reference, EVERY), trained);
        await("the survivor has ended", () -> ends.containsKey(0));
        long tookMs = ends.get(0) - killedAt();
        assertTrue(tookMs < 60_000, "the survivor ended " + tookMs + " ms after the other worker was killed");
    }

    /** Waits until the snapshot of all nodes is complete. */
    private static void killThisProcess(Path folder) {
        Path snapshots = folder.resolve("snapshots");
        await(
                "the snapshot of each node",
                () -> Stream.of("server-0", "worker-0", "worker-1")
                        .allMatch(node ->
                                Files.exists(snapshots.resolve(node).resolve("%012d.snapshot".formatted(EVERY)))));
        try {
            Files.writeString(folder.resolve("killed"), String.valueOf(System.currentTimeMillis()));
            new ProcessBuilder(
                            "kill", "-9", String.valueOf(ProcessHandle.current().pid()))
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        LockSupport.park();
    }

    private long killedAt() {
        try {
            return Long.parseLong(Files.readString(folder.resolve("killed")));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aFolderWithSnapshotsIsRefusedUnlessTheyAreRestored() {
        String interval = String.valueOf(EVERY);
        assertEquals(
                new Trained(reference, 0), train(job(1).snapshots(folder, interval, false), (worker, clock) -> {}));
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class,
                () -> train(job(1).snapshots(folder, interval, false), (worker, clock) -> {}));
        assertTrue(refusal.getMessage().startsWith("the folder " + folder + " holds snapshots"), refusal::getMessage);
        Trained again = train(job(1).snapshots(folder, interval, true), (worker, clock) -> {});
        assertEquals(reference, again.hash());
        assertTrue(again.continuedFrom() >= EVERY, again::toString);
    }

    @Test
    void aTrainerThatFailsEndsTheJobWithItsReason() {
        SparkException failure = assertThrows(
                SparkException.class,
                () -> train(job(1), (worker, clock) -> {
                    if (1 == worker.index() && 3 == clock) {
                        throw new IllegalStateException("no label");
                    }
                }));
        assertTrue(failure.getMessage().contains("no label"), failure::getMessage);
    }

    @Test
    void nodesListenOnPortsOfTheRange() {
        JavaRDD<Integer> two = spark.parallelize(List.of(1, 2), 2);
        long ports = SluiceSpark.on(two.rdd()).secret(SECRET).train((worker, partition) -> {
            worker.table("weights", 1, 1);
            worker.start(Initialiser.ZEROS);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            long listening = portsOfTheRange();
            while (listening > 4 && System.nanoTime() < end) { // drivers close ports of the job before after a while
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                listening = portsOfTheRange();
            }
            worker.clock();
            worker.drain(); // the other worker listens until all have ended the clock
            return listening;
        });
        assertEquals(4, ports, "ports of the coordinator, the server and two workers");
    }

    /** Number of UDP ports of the range on which processes of this host listen. */
    private static long portsOfTheRange() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/net/udp"))) {
            return lines.skip(1)
                    .map(line -> line.strip().split("\\s+")[1])
                    .map(address -> Integer.parseInt(address.substring(address.indexOf(':') + 1), 16))
                    .filter(port -> port >= Applications.FIRST_PORT && port <= Applications.LAST_PORT)
                    .distinct()
                    .count();
        }
    }

    @Test
    void tooFewSlotsAreReported() {
        JavaRDD<Integer> three = spark.parallelize(List.of(1, 2, 3), 3);
        SluiceSpark<Integer> job = SluiceSpark.on(three.rdd()).secret(SECRET).slotWait(Duration.ofMillis(1));
        IllegalStateException refusal =
                assertThrows(IllegalStateException.class, () -> job.train((worker, partition) -> ""));
        assertEquals(
                "the RDD has 3 partitions, whose workers must all run at once, but the application has 2 task slots"
                        + " after 0 s: add executors or cores, or call repartition(2) before",
                refusal.getMessage());
    }

    @Test
    void aCancelledJobFreesItsSlots() {
        SluiceSpark<LrPartitions.Example> endless = job(1);
        String begun = folder.resolve("begun").toString();
        CompletableFuture<String> result = CompletableFuture.supplyAsync(() -> {
            spark.setJobGroup("endless", "endless");
            return endless.train((worker, partition) -> {
                Table table = worker.table("weights", 1, 1);
                worker.start(Initialiser.ZEROS);
                while (worker.clock() > 0) {
                    table.sync();
                    if (10 == worker.completed() && 0 == worker.index()) {
                        Files.createFile(Path.of(begun));
                    }
                }
                return "";
            });
        });
        await("the job has begun", () -> Files.exists(Path.of(begun)));
        spark.cancelJobGroup("endless");
        CompletionException failure = assertThrows(CompletionException.class, result::join);
        assertTrue(failure.getCause() instanceof SparkException, failure::toString);
        assertEquals(new Trained(reference, 0), train(job(1), (worker, clock) -> {}));
    }
}
