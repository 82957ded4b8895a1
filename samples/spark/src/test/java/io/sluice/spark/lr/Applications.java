package io.sluice.spark.lr;

import io.sluice.spark.SluiceSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Spark applications of tests. */
final class Applications {
    /**
     * First port for nodes. The range lies below the default ephemeral ports of Linux, and coordinators of other tests
     * use other ports.
     */
    static final int FIRST_PORT = 19_100;

    static final int LAST_PORT = 19_999;

    /** Nodes of tests wait longer for a coordinator, and touch less memory for counters. */
    static final String FLAGS =
            SluiceSpark.JVM_FLAGS + " -Daeron.counters.buffer.length=1048576 -Dsluice.answer.timeout=60s"
                    + " -Dsluice.ports=" + FIRST_PORT + "-" + LAST_PORT;

    private Applications() {}

    /** Starts an application whose executors have these JVM flags. */
    static JavaSparkContext start(String master, String flags) throws IOException {
        Files.createDirectories(
                Path.of(System.getenv("SPARK_HOME"), "jars")); // Spark looks for it, and needs nothing there
        return new JavaSparkContext(new SparkConf()
                .setAppName("test")
                .setMaster(master)
                .set("spark.ui.enabled", "false")
                .set("spark.stage.maxConsecutiveAttempts", "2")
                .set("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
                .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .set("spark.executor.extraJavaOptions", flags));
    }
}
