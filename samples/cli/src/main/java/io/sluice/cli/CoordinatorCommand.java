package io.sluice.cli;

import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.consistency.replica.CoordinatorMember;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.console.ExitCode;
import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs one of several coordinators until the job has ended. */
@Command(
        name = "coordinator",
        description =
                "Runs one of several coordinators, each in a process of its own. The job continues while a majority"
                        + " of them runs. All receive the same terms.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class CoordinatorCommand implements Callable<Integer> {
    @Option(names = "--member", paramLabel = "I", required = true, description = "Index of this coordinator, from 0.")
    private int member;

    @Option(
            names = "--members",
            paramLabel = "HOST:PORT,...",
            required = true,
            description =
                    "Addresses of all coordinators, by index; nodes get the same list as --coordinators. Coordinators"
                            + " also use the five ports above each address among themselves.")
    private String members;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            description = "Folder for the decisions of the cluster, for this coordinator and this job only.")
    private Path folder;

    @Mixin
    private ProcessOptions process;

    @Mixin
    private SnapshotOptions snapshots;

    @ArgGroup(validate = false, heading = "%nTerms of the cluster, the same for all coordinators:%n")
    private ClusterOptions terms = new ClusterOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        CoordinatorContext context = context();
        try (Attachment _ = process.attach();
                LocalDriver _ = LocalDriver.unlessRunning(process);
                CoordinatorMember coordinator = launch(context)) {
            coordinator.await();
        }
        return ExitCode.OK;
    }

    private CoordinatorMember launch(CoordinatorContext context) {
        process.opened("coordinator " + member + " of the coordinators at " + members + " (media driver in "
                + context.aeronDirectory() + ") waits for a majority of the coordinators, then for the nodes");
        return CoordinatorMember.launch(context);
    }

    private CoordinatorContext context() throws IOException {
        ClusterSettings settings = terms.settings();
        CoordinatorContext context = new CoordinatorContext();
        try {
            context.members(members);
        } catch (MessagingException e) {
            throw new IllegalArgumentException("--members: " + e.getMessage(), e);
        }
        context.member(member).folder(folder).terms(settings);
        context.errorHandler(process.notes("coordinator " + member));
        process.applyTo(context);
        if (process.aeronDirectory() != null) {
            context.aeronDirectory(process.aeronDirectory());
        }
        snapshots.applyTo(context, DeathPolicy.WAIT == settings.onDeath());
        terms.applyTo(context);
        return context;
    }
}
