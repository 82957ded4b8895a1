package io.sluice.perf.layers;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.perf.nodes.NodeLoop;
import java.nio.file.Path;

/** The process of one host: a server or worker for each turn. */
final class NodeMain {
    static final String SERVE = "serve";
    static final String TRAIN = "train";

    private NodeMain() {}

    public static void main(String[] args) throws InterruptedException {
        Path directory = Path.of(args[0]);
        NodeLoop.run(
                directory,
                new Channels.Context(),
                words -> words[0].equals(SERVE) ? serve(words, directory) : train(words, directory));
    }

    /** {@code serve CLUSTER INDEX TERMS}. */
    private static String serve(String[] words, Path directory) {
        int index = Integer.parseInt(words[2]);
        ServerContext context = new ServerContext()
                .withoutSecret(true)
                .cluster(words[1])
                .index(index)
                .aeronDirectory(directory);
        if (index == 0) {
            context.coordinate(Terms.parse(words, 3).settings());
        }
        try (Server server = Server.launch(context)) {
            server.run();
            return Long.toString(server.report().bytesBroadcast());
        }
    }

    /** {@code train CLUSTER INDEX MODEL SCALE COMPUTE_NS WARMUP ITERATIONS RECEIVING OUTBOX}. */
    private static String train(String[] words, Path directory) {
        LayerModel model = LayerModel.named(words[3], Integer.parseInt(words[4]));
        WorkerContext context = new WorkerContext()
                .withoutSecret(true)
                .cluster(words[1])
                .index(Integer.parseInt(words[2]))
                .aeronDirectory(directory)
                .outboxFrames(Integer.parseInt(words[9]));
        SimulatedTrainer trainer =
                new SimulatedTrainer(model, Long.parseLong(words[5]), Boolean.parseBoolean(words[8]));
        return trainer.train(context, Integer.parseInt(words[6]), Integer.parseInt(words[7]))
                .words();
    }
}
