package io.sluice.perf.repair;

import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.perf.nodes.NodeLoop;
import java.nio.file.Path;

/** A worker in a process of its own, with a media driver of its own, to be killed. */
public final class RelayProcess {
    static final int HEAP_MB = 512;

    private RelayProcess() {}

    /**
     * Runs a media driver, and then a worker, until standard input ends.
     *
     * @param args the folder for the media driver
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        Path directory = Path.of(args[0]);
        NodeLoop.run(directory, new Channels.Context(), words -> train(words, directory));
    }

    /** {@code CLUSTER INDEX PARAMS EVERY_NS}. */
    private static String train(String[] words, Path driver) {
        WorkerContext context = new WorkerContext()
                .cluster(words[0])
                .index(Integer.parseInt(words[1]))
                .aeronDirectory(driver);
        new PacedTrainer(new Finish(), Integer.parseInt(words[2]), Long.parseLong(words[3])).train(context, null);
        return "";
    }
}
