package io.sluice.spark;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.worker.Worker;
import io.sluice.messaging.api.MessagingException;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ResourceProfile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.reflect.ClassTag$;

/**
 * A job of Sluice on the partitions of an RDD. Each partition is the data of one worker, which runs where Spark has the
 * partition; server {@code s} runs beside worker {@code s}. Spark starts all workers at once, in one barrier stage, and
 * they exchange updates without Spark.
 *
 * <pre>{@code
 * float[] model = SluiceSpark.on(examples.rdd())              // one partition for each worker
 *         .settings(ClusterSettings.builder().servers(2).filter("dvf:0.1"))
 *         .secret(bytes)                                      // random, 16 bytes or more
 *         .train((worker, partition) -> train(worker, partition));
 * }</pre>
 *
 * <p>Executors, and the driver of an application that has its executor in itself ({@code local[N]}), need the JVM flags
 * {@link #JVM_FLAGS}.
 *
 * @param <T> type of the elements of the RDD
 */
public final class SluiceSpark<T> {
    /** The flags of the JVMs in which workers run, for {@code spark.executor.extraJavaOptions}. */
    public static final String JVM_FLAGS = "--add-modules=jdk.incubator.vector"
            + " --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED --enable-native-access=ALL-UNNAMED"
            + " -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,io.sluice.filter.kernel.Vector*::*"
            + " -XX:CompileCommand=inline,io.sluice.filter.kernel.Registers::*"
            + " -XX:CompileCommand=inline,io.sluice.filter.kernel.LaneTables::*"
            + " -XX:CompileCommand=CompileThresholdScaling,io.sluice.filter.kernel.Vector*::*,0.05";

    private static final Logger LOG = LoggerFactory.getLogger(SluiceSpark.class);
    private static final Duration SLOT_WAIT = Duration.ofMinutes(1);
    private static final long LOOK_AGAIN_NS = 50_000_000;

    /**
     * The work of one worker; Spark sends it to the executors, with what it captures.
     *
     * @param <T> type of the elements of the RDD
     * @param <M> type of the model
     */
    @FunctionalInterface
    public interface Trainer<T, M> extends Serializable {
        /**
         * Declares tables, starts the worker, trains, and completes as {@link Worker} describes: usually with
         * {@link Worker#drain()}.
         *
         * @param worker    connected worker whose index is that of the partition; the caller closes it
         * @param partition elements of the partition
         * @return what worker 0 returns is the result of the job: serializable, and no view of a table, because tables
         *     end with the worker
         * @throws Exception that ends the attempt; Spark starts all workers again, four times by default
         */
        M train(Worker worker, Iterator<T> partition) throws Exception;
    }

    private final RDD<T> rdd;
    private ClusterSettingsBuilder settings = ClusterSettings.builder();
    private byte[] secret;
    private KeptSnapshots snapshots;
    private Duration slotWait = SLOT_WAIT;

    private SluiceSpark(RDD<T> rdd) {
        this.rdd = rdd;
    }

    /**
     * Begins the description of a job.
     *
     * @param rdd the data, with a partition for each worker; {@code JavaRDD.rdd()} has it in Java
     */
    public static <T> SluiceSpark<T> on(RDD<T> rdd) {
        return new SluiceSpark<>(Objects.requireNonNull(rdd, "rdd"));
    }

    /** Sets the terms of the cluster; the number of workers becomes the number of partitions. */
    public SluiceSpark<T> settings(ClusterSettingsBuilder terms) {
        settings = Objects.requireNonNull(terms, "terms");
        return this;
    }

    /**
     * Sets the secret that admits nodes. Every job needs one, because executors listen on the network. Spark sends it
     * to the executors with the trainer, encrypted if the application encrypts its connections.
     *
     * @param bytes random bytes, 16 to 4,096
     * @throws IllegalArgumentException if there are fewer or more
     */
    public SluiceSpark<T> secret(byte[] bytes) {
        ClusterSecret.of(bytes);
        secret = bytes.clone();
        return this;
    }

    /**
     * Takes snapshots. When Spark starts the workers again, they continue from the newest snapshot that all nodes hold.
     *
     * @param folder   folder that all executors share, in which each node has a folder of its own
     * @param interval clocks between two snapshots, as {@link ServerContext#takeSnapshots(String, boolean)} reads them
     * @param restore  whether the first attempt continues from snapshots in the folder, too; otherwise the folder must
     *     hold none
     * @throws IllegalArgumentException if the interval is malformed
     */
    public SluiceSpark<T> snapshots(Path folder, String interval, boolean restore) {
        new ServerContext().takeSnapshots(interval, restore); // refuses what would fail at an executor
        snapshots = new KeptSnapshots(folder.toAbsolutePath().toString(), interval, restore);
        return this;
    }

    /** Sets how long to wait for a task slot for each partition; one minute by default. */
    public SluiceSpark<T> slotWait(Duration limit) {
        slotWait = Objects.requireNonNull(limit, "limit");
        return this;
    }

    /**
     * Runs the job to its end.
     *
     * @param trainer run once for each partition
     * @return the model of worker 0. If all attempts fail, Spark throws its checked {@code SparkException}, which this
     *     method does not declare, as Spark's own methods do not
     * @throws IllegalArgumentException if terms are not those of a job on Spark
     * @throws IllegalStateException    if there is no secret, or the application has too few task slots
     * @throws MessagingException       if an executor cannot run Sluice, for example because its JVM lacks a flag
     */
    public <M> M train(Trainer<T, M> trainer) {
        ClusterSettings terms = terms();
        if (null == secret) {
            throw new IllegalStateException("the job has no secret, expected a call of secret() before train()");
        }
        if (null != snapshots) {
            snapshots.check(terms);
        }
        SparkContext spark = rdd.context();
        awaitSlots(spark, terms.workers());
        try (JobMetrics metrics = JobMetrics.of(spark, terms.workers())) {
            BarrierTask<T, M> task = new BarrierTask<>(terms, secret, snapshots, metrics.counters(), trainer);
            RDD<Object[]> results = rdd.barrier()
                    .mapPartitions(
                            (Function1<scala.collection.Iterator<T>, scala.collection.Iterator<Object[]>>
                                            & Serializable)
                                    task::run,
                            false,
                            ClassTag$.MODULE$.apply(Object[].class));
            // Spark starts a failed barrier stage again only if another stage follows.
            return task.model(results.toJavaRDD().repartition(1).collect());
        }
    }

    private ClusterSettings terms() {
        ClusterSettings terms = settings.workers(rdd.getNumPartitions()).build();
        if (terms.isElastic()) {
            throw new IllegalArgumentException("places is " + terms.places()
                    + ", expected 0: a barrier stage has the same tasks from its start to its end");
        }
        if (DeathPolicy.FAIL != terms.onDeath()) {
            throw new IllegalArgumentException("on death is " + terms.onDeath().configName()
                    + ", expected fail: Spark ends all tasks of a barrier stage when one has failed");
        }
        return terms;
    }

    /** Waits for executors that are still starting; Spark itself would check again only after 15 s. */
    private void awaitSlots(SparkContext spark, int needed) {
        ResourceProfile own = rdd.getResourceProfile();
        ResourceProfile profile = null == own ? spark.resourceProfileManager().defaultResourceProfile() : own;
        long deadlineNs = System.nanoTime() + slotWait.toNanos();
        int slots = spark.maxNumConcurrentTasks(profile);
        if (slots < needed) {
            LOG.info("{} workers wait for task slots, of which there are {}", needed, slots);
        }
        while (slots < needed) {
            if (System.nanoTime() - deadlineNs >= 0) {
                throw new IllegalStateException("the RDD has " + needed + " partitions, whose workers must all run at"
                        + " once, but the application has " + slots + " task slots after " + slotWait.toSeconds()
                        + " s: add executors or cores, or call repartition(" + Math.max(1, slots) + ") before");
            }
            LockSupport.parkNanos(LOOK_AGAIN_NS);
            slots = spark.maxNumConcurrentTasks(profile);
        }
    }
}
