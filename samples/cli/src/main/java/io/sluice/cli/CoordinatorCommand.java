package io.sluice.cli;

import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.consistency.replica.CoordinatorMember;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
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
        description = "Runs one of several coordinators, each in a process of its own, of which a majority has to be"
                + " there: the job survives the death of any other. All are given the same terms.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class CoordinatorCommand implements Callable<Integer> {
    @Option(names = "--member", paramLabel = "I", required = true, description = "Which one to be, from 0.")
    private int member;

    @Option(
            names = "--members",
            paramLabel = "HOST:PORT,...",
            required = true,
            description = "Addresses of all, in their order; nodes are given the same as --coordinators. The five ports"
                    + " above each are taken, too, for what coordinators say among themselves.")
    private String members;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            description = "Where to keep what is decided: a folder for this coordinator and this job alone.")
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
                CoordinatorMember coordinator = CoordinatorMember.launch(context)) {
            coordinator.await();
        }
        return ExitCode.OK;
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
