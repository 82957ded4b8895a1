package io.sluice.perf.repair;

import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.perf.JvmFlags;
import io.sluice.perf.nodes.NodeLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A worker in a process of its own, with a media driver of its own, to be killed. */
public final class RelayProcess {
    private static final int HEAP_MB = 512;

    private RelayProcess() {}

    /**
     * Runs a media driver, and then a worker, until standard input ends.
     *
     * @param args the folder for the media driver
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        NodeLoop.run(Path.of(args[0]), new Channels.Context(), RelayProcess::train);
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

    /**
     * Starts such a process; it ends with this one, too.
     *
     * @param cluster address of the cluster
     * @param index   of the worker
     * @param plan    of the training
     * @param driver  folder for its media driver
     */
    static Process start(String cluster, int index, RepairPlan plan, Path driver) throws IOException {
        List<String> command = JvmFlags.node(HEAP_MB);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), RelayProcess.class.getName()));
        command.add(driver.toString());
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD) // the first line says that it uses vectors
                .start();
        String order = cluster + " " + index + " " + plan.params() + " " + plan.everyNs() + "\n";
        process.getOutputStream().write(order.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        return process;
    }
}
