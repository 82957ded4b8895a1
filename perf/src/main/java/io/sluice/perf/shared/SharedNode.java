package io.sluice.perf.shared;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.perf.nodes.NodeLoop;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** The process of one host: the server or a worker of each turn. The first worker reports when a phase begins. */
final class SharedNode {
    static final String SERVE = "serve";
    static final String TRAIN = "train";
    static final String PHASE = "phase";

    private static final int FRAMES = 512;
    private static final int HASHED_AT_ONCE = 1 << 16;
    private static final double NS = 1e9;

    private SharedNode() {}

    public static void main(String[] args) throws InterruptedException {
        Path directory = Path.of(args[0]);
        NodeLoop.run(
                directory,
                channels(),
                words -> words[0].equals(SERVE) ? serve(words, directory) : train(words, directory));
    }

    private static Channels.Context channels() {
        return new Channels.Context().receiverWindow(SharedPlan.WINDOW);
    }

    /** {@code serve CLUSTER FILTER PLAN}. */
    private static String serve(String[] words, Path directory) {
        ServerContext context = new ServerContext()
                .withoutSecret(true)
                .cluster(words[1])
                .index(0)
                .aeronDirectory(directory)
                .channels(new Channels(channels()))
                .coordinate(SharedPlan.parse(words, 3).settings(words[2]));
        try (Server server = Server.launch(context)) {
            server.run();
            return Long.toString(server.report().bytesBroadcast());
        }
    }

    /** {@code train CLUSTER INDEX PLAN}. */
    private static String train(String[] words, Path directory) {
        int index = Integer.parseInt(words[2]);
        SharedPlan plan = SharedPlan.parse(words, 3);
        WorkerContext context = new WorkerContext()
                .withoutSecret(true)
                .cluster(words[1])
                .index(index)
                .aeronDirectory(directory)
                .channels(new Channels(channels()))
                .outboxFrames(FRAMES);
        Gradients gradients = new Gradients(plan.elements(), index);
        try (Worker worker = Worker.connect(context)) {
            return train(worker, plan, gradients).words();
        }
    }

    private static Clocks train(Worker worker, SharedPlan plan, Gradients gradients) {
        double[] seconds = new double[plan.allClocks()];
        double[] kept = new double[plan.allClocks()];
        Table table = worker.table("w", 1, plan.elements());
        worker.start(Initialiser.ZEROS);
        long endNs = System.nanoTime();
        for (int clock = 0; clock < seconds.length; clock++) {
            announce(worker, plan, clock);
            long startNs = endNs;
            long before = worker.stats().elementsKept();
            table.sync();
            float[] update = gradients.next(clock + 1);
            LockSupport.parkNanos(plan.computeNs());
            table.update(update);
            worker.clock();
            endNs = System.nanoTime();
            seconds[clock] = (endNs - startNs) / NS;
            kept[clock] = (worker.stats().elementsKept() - before) / (double) plan.elements();
        }
        announce(worker, plan, seconds.length);
        worker.drain();
        return new Clocks(seconds, kept, checksum(table.view(), plan.elements()));
    }

    private static void announce(Worker worker, SharedPlan plan, int clock) {
        if (worker.index() != 0) {
            return;
        }
        for (Phase phase : Phase.values()) {
            if (clock == plan.start(phase) || (phase == Phase.AFTER && clock == plan.end(phase))) {
                System.out.println(PHASE + " " + clock);
            }
        }
    }

    private static int checksum(FloatView view, int elements) {
        int sum = 0;
        for (int start = 0; start < elements; start += HASHED_AT_ONCE) {
            float[] part = new float[Math.min(HASHED_AT_ONCE, elements - start)];
            view.copyTo(start, part);
            sum = 31 * sum + Arrays.hashCode(part);
        }
        return sum;
    }
}
