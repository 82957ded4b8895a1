package io.sluice.spark;

import io.sluice.consistency.worker.ClockFigures;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.util.LongAccumulator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What the workers count, as accumulators of Spark, which its pages show; and a line in the driver's log with the clock
 * that all workers have completed, as heartbeats of the executors report it.
 */
final class JobMetrics extends SparkListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SluiceSpark.class);

    private final SparkContext spark;
    private final int workers;
    private final Counters counters;

    /** Clocks of the running tasks, by task. */
    private final Map<Object, Long> clocks = new HashMap<>();

    private long logged;

    private JobMetrics(SparkContext spark, int workers) {
        this.spark = spark;
        this.workers = workers;
        this.counters = new Counters(
                spark.longAccumulator("sluice clocks"),
                spark.longAccumulator("sluice bytes pushed"),
                spark.longAccumulator("sluice bytes received"),
                spark.longAccumulator("sluice wait ns"));
    }

    /** Registers the counters of a job, and begins to listen. */
    static JobMetrics of(SparkContext spark, int workers) {
        JobMetrics metrics = new JobMetrics(spark, workers);
        spark.addSparkListener(metrics);
        return metrics;
    }

    /** The counters, for the executors. */
    Counters counters() {
        return counters;
    }

    /**
     * Counters of one worker while its task runs; at the driver, the sums over the workers that completed.
     *
     * @param clocks        clocks completed, those before a snapshot included
     * @param bytesPushed   bytes sent to servers
     * @param bytesReceived payloads of broadcasts
     * @param waitNs        time spent waiting
     */
    record Counters(
            LongAccumulator clocks, LongAccumulator bytesPushed, LongAccumulator bytesReceived, LongAccumulator waitNs)
            implements Serializable {
        /** Counts a clock that has ended. */
        void onClock(ClockFigures figures) {
            clocks.add(figures.clock() - clocks.sum());
            bytesPushed.add(figures.bytesPushed());
            bytesReceived.add(figures.bytesReceived());
            waitNs.add(figures.waitNs());
        }
    }

    /** Resets the metrics for a new attempt. */
    @Override
    public void onTaskStart(SparkListenerTaskStart event) {
        clocks.clear();
    }

    @Override
    public void onExecutorMetricsUpdate(SparkListenerExecutorMetricsUpdate event) {
        CollectionConverters.asJava(event.accumUpdates()).forEach(task -> read(task._1(), task._4()));
        long all = clocks.size() < workers
                ? 0
                : clocks.values().stream().min(Long::compare).orElse(0L);
        if (all != logged && all > 0) {
            logged = all;
            LOG.info("all {} workers have completed clock {}", workers, all);
        }
    }

    private void read(Object task, Seq<AccumulableInfo> accumulators) {
        for (AccumulableInfo each : CollectionConverters.asJava(accumulators)) {
            if (each.id() == counters.clocks().id() && each.update().isDefined()) {
                clocks.put(task, (Long) each.update().get());
            }
        }
    }

    @Override
    public void close() {
        spark.removeSparkListener(this);
    }
}
