package io.sluice.perf.layers;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The process of one host: a media driver, and one server or worker after another, as it is told line by line. It
 * answers each line with one of its own, and ends when its standard input does, also in the middle of a turn.
 */
final class NodeMain {
    static final String SERVE = "serve";
    static final String TRAIN = "train";
    static final String READY = "ready";
    static final String DONE = "done";
    static final String FAILED = "failed";

    private NodeMain() {}

    public static void main(String[] args) throws InterruptedException {
        Path directory = Path.of(args[0]);
        Driver.Context context = new Driver.Context().directory(directory).channels(new Channels.Context());
        try (Driver driver = Driver.launch(context.closeOnShutdown(true))) {
            driver.warnings().forEach(warning -> System.err.println("sluice: " + warning));
            BlockingQueue<String> orders = new LinkedBlockingQueue<>();
            Thread.ofPlatform().daemon().name("orders").start(() -> read(orders));
            System.out.println(READY);
            while (true) {
                System.out.println(answer(orders.take(), directory));
            }
        }
    }

    private static void read(BlockingQueue<String> orders) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.lines().forEach(orders::add);
        } catch (IOException e) {
            // As good as an end.
        }
        System.exit(0);
    }

    private static String answer(String order, Path directory) {
        String[] words = order.split(" ");
        try {
            return words[0].equals(SERVE) ? serve(words, directory) : train(words, directory);
        } catch (RuntimeException e) {
            String sentence = e.getMessage() == null ? e.toString() : e.getMessage();
            return FAILED + " " + sentence.replace('\n', ' ');
        }
    }

    /** {@code serve CLUSTER INDEX TERMS}. */
    private static String serve(String[] words, Path directory) {
        int index = Integer.parseInt(words[2]);
        ServerContext context =
                new ServerContext().cluster(words[1]).index(index).aeronDirectory(directory);
        if (index == 0) {
            context.coordinate(Terms.parse(words, 3).settings());
        }
        try (Server server = Server.launch(context)) {
            server.run();
            return DONE + " " + server.report().bytesBroadcast();
        }
    }

    /** {@code train CLUSTER INDEX MODEL SCALE COMPUTE_NS WARMUP ITERATIONS RECEIVING OUTBOX}. */
    private static String train(String[] words, Path directory) {
        LayerModel model = LayerModel.named(words[3], Integer.parseInt(words[4]));
        WorkerContext context = new WorkerContext()
                .cluster(words[1])
                .index(Integer.parseInt(words[2]))
                .aeronDirectory(directory)
                .outboxFrames(Integer.parseInt(words[9]));
        SimulatedTrainer trainer =
                new SimulatedTrainer(model, Long.parseLong(words[5]), Boolean.parseBoolean(words[8]));
        return DONE + " "
                + trainer.train(context, Integer.parseInt(words[6]), Integer.parseInt(words[7]))
                        .words();
    }
}
