package io.sluice.spark.lr;

import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.console.ExitCode;
import io.sluice.console.UsageErrors;
import io.sluice.messaging.api.MessagingException;
import io.sluice.samples.ReplicaHash;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.Evaluation;
import io.sluice.spark.SluiceSpark;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code sluice spark}: {@code train lr} in a Spark application, with options of the same names. */
@Command(
        name = "sluice spark",
        description = "Trains sparse logistic regression on real e-mails in a Spark application.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SparkLr implements Callable<Integer> {
    private static final int SECRET_BYTES = 32;
    private static final String LOG_SETTINGS = "log4j2.configurationFile";

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "Master of the application, such as spark://HOST:7077; by default local-cluster[N,1,1024]:"
                    + " N executors on this host, one for each worker.")
    private String master;

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "2",
            description = "Workers, each with a partition of the examples (${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--servers", paramLabel = "P", defaultValue = "1", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--consistency",
            paramLabel = "RULE",
            defaultValue = "bsp",
            description = "bsp, ssp:S or another rule of train lr (${DEFAULT-VALUE}).")
    private String consistency;

    @Option(
            names = "--filter",
            paramLabel = "F",
            defaultValue = "none",
            description = "none, dvf:D or another filter of train lr (${DEFAULT-VALUE}).")
    private String filter;

    @Option(
            names = "--liveness-ms",
            paramLabel = "MS",
            defaultValue = "2500",
            description = "Milliseconds of silence after which a node is lost (${DEFAULT-VALUE}).")
    private int livenessMs;

    @Option(
            names = "--features",
            paramLabel = "D",
            defaultValue = "1048576",
            description = "Number of features, a power of two (${DEFAULT-VALUE}).")
    private int features;

    @Option(names = "--clocks", paramLabel = "N", defaultValue = "200", description = "Iterations (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--batch",
            paramLabel = "B",
            defaultValue = "128",
            description = "Examples of a mini-batch (${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--learning-rate",
            paramLabel = "R",
            defaultValue = "400",
            description = "The step of iteration t is R / sqrt(t) times the mean gradient (${DEFAULT-VALUE}).")
    private double learningRate;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the order of the examples (${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--snapshots",
            paramLabel = "DIR",
            description = "Take snapshots in DIR, which all executors share, and continue from them when Spark starts"
                    + " the workers again.")
    private Path snapshots;

    @Option(
            names = "--snapshot-every",
            paramLabel = "N",
            defaultValue = "100",
            description = "Clocks between two snapshots, or auto, or auto:6h (${DEFAULT-VALUE}).")
    private String snapshotEvery;

    @Option(names = "--restore", description = "Continue from the newest snapshot in DIR, if there is one.")
    private boolean restore;

    @Option(names = "--conf", paramLabel = "KEY=VALUE", description = "A property of Spark; repeat it for others.")
    private Map<String, String> properties = new LinkedHashMap<>();

    private SparkLr() {}

    /** What worker 0 returns. */
    private record Trained(float[] model, long firstClockMs, long lastClockMs) implements Serializable {
        String times(long startMs) {
            return 0 == firstClockMs
                    ? "the snapshot has all clocks"
                    : String.format(
                            "first clock %.1f s after the start; %.1f s for the others",
                            (firstClockMs - startMs) / 1e3, (lastClockMs - firstClockMs) / 1e3);
        }
    }

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        if (null == System.getProperty(LOG_SETTINGS)) {
            System.setProperty(LOG_SETTINGS, "classpath:io/sluice/spark/lr/quiet-log4j2.properties");
        }
        System.exit(run(args));
    }

    /** Runs the command. */
    static int run(String... args) {
        CommandLine line = new CommandLine(new SparkLr());
        line.setParameterExceptionHandler(new UsageErrors());
        line.setExecutionExceptionHandler((thrown, command, parsed) -> {
            command.getErr().println("sluice: " + sentence(thrown));
            return exitCode(thrown);
        });
        line.setUsageHelpAutoWidth(true);
        return line.execute(args);
    }

    /** The message of an exception; the message of a failed stage is returned without its stack traces. */
    private static String sentence(Exception thrown) {
        return thrown instanceof SparkException
                ? thrown.getMessage()
                        .lines()
                        .filter(each -> !each.startsWith("\tat "))
                        .collect(Collectors.joining(System.lineSeparator()))
                : String.valueOf(thrown.getMessage());
    }

    private static int exitCode(Exception thrown) {
        return switch (thrown) {
            case IllegalArgumentException _ -> ExitCode.USAGE;
            case IOException _ -> ExitCode.DATA;
            case UncheckedIOException _ -> ExitCode.DATA;
            case MessagingException _ -> ExitCode.UNAVAILABLE;
            case IllegalStateException _ -> ExitCode.UNAVAILABLE;
            case SparkException _ -> ExitCode.CLUSTER;
            case ClusterException _ -> ExitCode.CLUSTER;
            default -> ExitCode.INTERNAL;
        };
    }

    @Override
    public Integer call() throws IOException {
        if (restore && null == snapshots) {
            throw new IllegalArgumentException("--restore is given without --snapshots, expected the folder DIR too");
        }
        DescentSettings settings = new DescentSettings(clocks, batch, learningRate, seed);
        Dataset data = SpamAssassin.load(features);
        long startMs = System.currentTimeMillis();
        try (JavaSparkContext spark = new JavaSparkContext(configuration())) {
            Trained trained = train(LrPartitions.of(spark, data, workers, settings), settings);
            Evaluation quality = Evaluation.of(data, trained.model());
            spec.commandLine()
                    .getOut()
                    .printf(
                            "%s, %,d features, Spark %s on %s: %d workers, %d servers, %s, filter %s%n"
                                    + "  loss %.4f, %.2f %% of the held-out examples correct after %d clocks%n"
                                    + "  %s%n"
                                    + "  replica: sha-256 %s%n",
                            data.name(),
                            features,
                            spark.version(),
                            spark.master(),
                            workers,
                            servers,
                            consistency,
                            filter,
                            quality.loss(),
                            100 * quality.accuracy(),
                            clocks,
                            trained.times(startMs),
                            ReplicaHash.of(trained.model()));
        }
        return ExitCode.OK;
    }

    private Trained train(JavaRDD<LrPartitions.Example> examples, DescentSettings settings) {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        SluiceSpark<LrPartitions.Example> job = SluiceSpark.on(examples.rdd())
                .settings(ClusterSettings.builder()
                        .servers(servers)
                        .consistency(consistency)
                        .filter(filter)
                        .livenessMs(livenessMs))
                .secret(secret);
        if (null != snapshots) {
            job.snapshots(snapshots, snapshotEvery, restore);
        }
        int floats = features; // the trainer must not capture this command
        return job.train((worker, partition) -> {
            long[] times = new long[2];
            float[] model = LrPartitions.train(worker, partition, floats, settings, (clock, loss) -> {
                times[1] = System.currentTimeMillis();
                times[0] = 0 == times[0] ? times[1] : times[0];
            });
            return new Trained(model, times[0], times[1]);
        });
    }

    private SparkConf configuration() {
        SparkConf conf = new SparkConf()
                .setAppName("sluice spark")
                .setMaster(null == master ? "local-cluster[" + workers + ",1,1024]" : master)
                .setIfMissing("spark.ui.enabled", "false")
                .setIfMissing("spark.executor.heartbeatInterval", "1s")
                .setIfMissing("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
                // Executors find the classes where this process has them.
                .setIfMissing("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .setIfMissing("spark.executor.extraJavaOptions", SluiceSpark.JVM_FLAGS);
        properties.forEach(conf::set);
        return conf;
    }
}
