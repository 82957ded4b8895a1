package io.sluice.spark.lr;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.driver.Driver;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.Batches;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * What an executor does, without Spark: the process has a media driver, and runs one worker after the other, each at
 * the address of a coordinator that a line of its input states. Process 0 also runs the server.
 */
final class PlainProcess {
    private PlainProcess() {}

    /** Prints, for each job, the milliseconds of a clock. */
    public static void main(String[] args) throws Exception {
        int index = Integer.parseInt(args[0]);
        Dataset data = SpamAssassin.load(MllibComparisonTest.FEATURES);
        Batches batches =
                new Batches(data.train().size(), index, MllibComparisonTest.WORKERS, MllibComparisonTest.SETTINGS);
        List<LrPartitions.Example> partition = LrPartitions.examples(data.train(), batches);
        Path directory =
                Path.of("/dev/shm", "sluice-plain-" + ProcessHandle.current().pid());
        BufferedReader addresses = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Driver _ = Driver.launch(new Driver.Context().directory(directory))) {
            for (String line = addresses.readLine(); null != line; line = addresses.readLine()) {
                String address = line;
                Thread server = new Thread(() -> serve(node(new ServerContext().index(0), address, directory)));
                if (0 == index) {
                    server.start();
                }
                MllibComparisonTest.Course course = new MllibComparisonTest.Course();
                try (Worker worker = Worker.connect(node(new WorkerContext().index(index), address, directory))) {
                    LrPartitions.train(
                            worker,
                            partition.iterator(),
                            data.features(),
                            MllibComparisonTest.SETTINGS,
                            (clock, loss) -> course.onClock(clock));
                }
                server.join();
                System.out.println(course.msPerClock());
            }
        }
    }

    private static void serve(ServerContext context) {
        try (Server server = Server.launch(context.coordinate(
                MllibComparisonTest.terms().workers(MllibComparisonTest.WORKERS).build()))) {
            server.run();
        }
    }

    private static <C extends NodeContext<C>> C node(C context, String address, Path directory) {
        return context.cluster(address).aeronDirectory(directory).secret(ClusterSecret.of(MllibComparisonTest.SECRET));
    }
}
