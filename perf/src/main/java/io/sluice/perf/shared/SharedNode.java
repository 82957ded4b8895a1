package io.sluice.perf.shared;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.perf.nodes.NodeLoop;
import io.sluice.perf.nodes.NodeTask;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** The task of a host's process in a turn: the server or a worker. The first worker reports when a phase starts. */
final class SharedNode {
    private static final int FRAMES = 512;
    private static final int HASHED_AT_ONCE = 1 << 16;
    private static final double NS = 1e9;

    private SharedNode() {}

    private static ChannelSettings channels() {
        return new ChannelSettings().receiverWindow(SharedPlan.WINDOW);
    }

    /** Serves, and returns the bytes that it broadcast. */
    record Serve(String cluster, String driver, String filter, SharedPlan plan) implements NodeTask<Long> {
        @Override
        public Long run() {
            ServerContext context = new ServerContext()
                    .withoutSecret(true)
                    .cluster(cluster)
                    .index(0)
                    .aeronDirectory(Path.of(driver))
                    .channels(channels())
                    .coordinate(plan.settings(filter));
            try (Server server = Server.launch(context)) {
                server.run();
                return server.report().bytesBroadcast();
            }
        }
    }

    /** Trains. */
    record Train(String cluster, int index, String driver, SharedPlan plan) implements NodeTask<Clocks> {
        @Override
        public Clocks run() {
            WorkerContext context = new WorkerContext()
                    .withoutSecret(true)
                    .cluster(cluster)
                    .index(index)
                    .aeronDirectory(Path.of(driver))
                    .channels(channels())
                    .outboxFrames(FRAMES);
            Gradients gradients = new Gradients(plan.elements(), index);
            try (Worker worker = Worker.connect(context)) {
                return train(worker, plan, gradients);
            }
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
                NodeLoop.say("clock " + clock);
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
