package io.sluice.spark.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.Evaluation;
import io.sluice.spark.SluiceSpark;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Serializable;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Prints the figures of docs/spark.md: the time to the first clock, what Spark costs, and times to a loss. */
@Tag("trial")
@Timeout(1_200)
class MllibComparisonTest {
    static final int FEATURES = SpamAssassin.DEFAULT_FEATURES;
    static final int WORKERS = 2;
    static final DescentSettings SETTINGS = new DescentSettings(1_000, 128, 400, 1);
    static final byte[] SECRET = new byte[32];

    private static final int ROUNDS = 7;
    private static final int TURNS = 3;
    private static final List<Integer> ITERATIONS = List.of(5, 10, 20);
    private static final List<Integer> CLOCKS = List.of(20, 50, 100, 200, 500, 1_000);

    private final PrintStream out = System.out;

    /** The terms of all jobs, less the number of workers. */
    static ClusterSettingsBuilder terms() {
        return ClusterSettings.builder().servers(1);
    }

    /** When a worker ended its clocks. */
    static final class Course implements Serializable {
        private static final long serialVersionUID = 1L;

        private final long[] endsNs = new long[SETTINGS.clocks()];
        private final long[] endsMs = new long[SETTINGS.clocks()];

        /** Notes the end of a clock. */
        void onClock(int clock) {
            endsNs[clock - 1] = System.nanoTime();
            endsMs[clock - 1] = System.currentTimeMillis();
        }

        /** Mean time of a clock of the second half, in which the code is compiled. */
        double msPerClock() {
            int half = endsNs.length / 2;
            return (endsNs[endsNs.length - 1] - endsNs[half - 1]) / 1e6 / (endsNs.length - half);
        }
    }

    @Test
    void startAndClocks() throws IOException, InterruptedException {
        Dataset mails = SpamAssassin.load(FEATURES);
        long startMs = System.currentTimeMillis();
        try (JavaSparkContext spark = Applications.start("local-cluster[2,1,1024]", Applications.FLAGS)) {
            JavaRDD<LrPartitions.Example> examples =
                    LrPartitions.of(spark, mails, WORKERS, SETTINGS).cache();
            Course first = train(examples);
            out.printf("first clock %.1f s after the start of the application%n", (first.endsMs[0] - startMs) / 1e3);
            long againMs = System.currentTimeMillis();
            out.printf(
                    "first clock of a second job %.1f s after its start%n",
                    (train(examples).endsMs[0] - againMs) / 1e3);
            compareClocks(examples);
        }
    }

    @Test
    void losses() throws IOException {
        Dataset mails = SpamAssassin.load(FEATURES);
        try (JavaSparkContext spark = Applications.start("local-cluster[2,1,1024]", Applications.FLAGS)) {
            JavaRDD<LrPartitions.Example> examples =
                    LrPartitions.of(spark, mails, WORKERS, SETTINGS).cache();
            train(examples); // warms up
            compareLosses(examples, mails, SparkSession.builder().getOrCreate());
        }
    }

    private static Course train(JavaRDD<LrPartitions.Example> examples) {
        return SluiceSpark.on(examples.rdd()).settings(terms()).secret(SECRET).train((worker, partition) -> {
            Course course = new Course();
            LrPartitions.train(worker, partition, FEATURES, SETTINGS, (clock, loss) -> course.onClock(clock));
            return course;
        });
    }

    /** The time of a clock on Spark, and in processes that do the same without Spark, in turns. */
    private void compareClocks(JavaRDD<LrPartitions.Example> examples) throws IOException, InterruptedException {
        List<Process> processes = new ArrayList<>();
        double[] onSpark = new double[ROUNDS];
        double[] plain = new double[ROUNDS];
        double[] ratios = new double[ROUNDS];
        try {
            for (int index = 0; index < WORKERS; index++) {
                processes.add(plain(index));
            }
            List<BufferedReader> answers =
                    processes.stream().map(Process::inputReader).toList();
            plain(processes, answers); // as warm as the executors, which have run two jobs
            plain(processes, answers);
            for (int round = 0; round < ROUNDS; round++) {
                plain[round] = plain(processes, answers);
                onSpark[round] = train(examples).msPerClock();
                ratios[round] = onSpark[round] / plain[round];
            }
            for (Process process : processes) {
                process.outputWriter().close();
                assertEquals(0, process.waitFor());
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        out.printf(
                "a clock: %s ms on Spark, %s ms without; ratio %s, medians of %d [quartiles]%n",
                spread(onSpark), spread(plain), spread(ratios), ROUNDS);
    }

    private static Process plain(int index) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(Applications.FLAGS.split(" ")));
        command.addAll(List.of("-Xmx1024m", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(PlainProcess.class.getName(), String.valueOf(index)));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Runs a job in the processes; returns the time of a clock of worker 0. */
    private static double plain(List<Process> processes, List<BufferedReader> answers) throws IOException {
        String host = InetAddress.getLocalHost().getHostAddress();
        int port;
        try (DatagramSocket socket = new DatagramSocket()) {
            port = socket.getLocalPort();
        }
        for (Process process : processes) {
            process.outputWriter().write(host + ":" + port + "\n");
            process.outputWriter().flush();
        }
        double ofFirst = Double.parseDouble(answers.getFirst().readLine());
        for (BufferedReader other : answers.subList(1, answers.size())) {
            other.readLine();
        }
        return ofFirst;
    }

    /** Median and quartiles. */
    private static String spread(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        return "%.3f [%.3f, %.3f]".formatted(sorted[n / 2], sorted[n / 4], sorted[n - 1 - n / 4]);
    }

    /** Loss over time of MLlib's learner, for several numbers of iterations, and of a job, at several clocks. */
    private void compareLosses(JavaRDD<LrPartitions.Example> examples, Dataset mails, SparkSession session) {
        StructType schema =
                new StructType().add("label", DataTypes.DoubleType).add("features", SQLDataTypes.VectorType());
        JavaRDD<Row> rows = examples.map(example -> {
            double[] values = new double[example.values().length];
            Arrays.setAll(values, i -> example.values()[i]);
            return RowFactory.create((double) example.label(), Vectors.sparse(FEATURES, example.indices(), values));
        });
        org.apache.spark.sql.Dataset<Row> frame =
                session.createDataFrame(rows, schema).cache();
        assertEquals(mails.train().size(), frame.count());
        for (int clocks : CLOCKS) {
            DescentSettings settings = new DescentSettings(clocks, SETTINGS.batch(), SETTINGS.learningRate(), 1);
            double[] seconds = new double[TURNS];
            Evaluation quality = null;
            for (int turn = 0; turn < TURNS; turn++) {
                long startNs = System.nanoTime();
                float[] model = SluiceSpark.on(examples.rdd())
                        .settings(terms())
                        .secret(SECRET)
                        .train((worker, partition) ->
                                LrPartitions.train(worker, partition, FEATURES, settings, (clock, loss) -> {}));
                seconds[turn] = (System.nanoTime() - startNs) / 1e9;
                quality = Evaluation.of(mails, model);
            }
            print("Sluice, %d clocks".formatted(clocks), quality, seconds);
        }
        fit(frame, 2); // warms up
        for (int iterations : ITERATIONS) {
            double[] seconds = new double[TURNS];
            Evaluation quality = null;
            for (int turn = 0; turn < TURNS; turn++) {
                long startNs = System.nanoTime();
                double[] weights = fit(frame, iterations).coefficients().toArray();
                seconds[turn] = (System.nanoTime() - startNs) / 1e9;
                quality = Evaluation.of(mails, floats(weights));
            }
            print("MLlib, %d iterations".formatted(iterations), quality, seconds);
        }
    }

    private static LogisticRegressionModel fit(org.apache.spark.sql.Dataset<Row> frame, int iterations) {
        return new LogisticRegression()
                .setMaxIter(iterations)
                .setFitIntercept(false)
                .setStandardization(false)
                .fit(frame);
    }

    private static float[] floats(double[] values) {
        float[] floats = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            floats[i] = (float) values[i];
        }
        return floats;
    }

    private void print(String what, Evaluation quality, double[] seconds) {
        out.printf(
                "%-22s loss %.5f, %.2f %% correct, %s s%n",
                what, quality.loss(), 100 * quality.accuracy(), spread(seconds));
    }
}
