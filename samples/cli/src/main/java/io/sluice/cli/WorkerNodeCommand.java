package io.sluice.cli;

import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Trains a workload as one worker of a cluster. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
final class WorkerNodeCommand implements Callable<Integer> {
    @Mixin
    private NodeOptions node;

    @Mixin
    private WorkloadOptions options;

    @Option(
            names = "--leave-after",
            paramLabel = "N",
            description =
                    "In an elastic job (--max-workers): leave after this worker has done N iterations, and the few more"
                            + " that it takes until all nodes have agreed.")
    private Long leaveAfter;

    /** Creates the command of a workload. */
    WorkerNodeCommand(WorkloadOptions options) {
        this.options = options;
    }

    /** The first sentences of the help. */
    static String[] description(WorkloadOptions options) {
        return new String[] {
            "Trains " + options.task() + " as one worker of a cluster.",
            "In an elastic job, SIGTERM makes the worker leave while the job runs, as --leave-after does; a second one"
                    + " ends it at once."
        };
    }

    @Override
    public Integer call() throws IOException {
        options.check();
        if (leaveAfter != null && leaveAfter < 1) {
            throw new IllegalArgumentException("--leave-after is " + leaveAfter + ", expected 1 or more");
        }
        Workload workload = options.load();
        WorkerContext context = node.applyTo(new WorkerContext());
        workload.declare(context);
        try (Attachment attachment = node.process().attach();
                LocalDriver _ = LocalDriver.unlessRunning(node.process());
                Worker worker = connect(context)) {
            node.process().joined("worker " + worker.index());
            new WorkerRun(node.process(), workload, worker, leaveAfter).run(attachment);
        }
        return ExitCode.OK;
    }

    private Worker connect(WorkerContext context) {
        node.joins(context, null);
        return Worker.connect(context);
    }
}
