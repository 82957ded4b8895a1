package io.sluice.samples;

import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.DeathPolicy;
import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.consistency.replica.CoordinatorMember;
import io.sluice.messaging.MessagingException;
import io.sluice.samples.launch.EventLines;
import io.sluice.samples.launch.NodeEvent;
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

    @Option(
            names = "--aeron-dir",
            paramLabel = "DIR",
            description = "Directory of this host's media driver; by default that of the user.")
    private Path aeronDirectory;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "The cluster's secret, the same for all nodes: see sluice secret.")
    private Path secretFile;

    @Option(
            names = "--without-secret",
            description =
                    "Receive from other hosts although there is no secret: whoever reaches this one can take part.")
    private boolean withoutSecret;

    @Option(names = "--attached", hidden = true, description = "Speak JSON lines, and end when standard input does.")
    private boolean attached;

    @Mixin
    private SnapshotOptions snapshots;

    @ArgGroup(validate = false, heading = "%nTerms of the cluster, the same for all coordinators:%n")
    private ClusterOptions terms = new ClusterOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        CoordinatorContext context = context();
        try (Attachment _ = Attachment.of(attached);
                LocalDriver _ = LocalDriver.unlessRunning(aeronDirectory);
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
        context.member(member).folder(folder).terms(settings).withoutSecret(withoutSecret);
        context.errorHandler(
                error -> note(error instanceof MessagingException ? error.getMessage() : String.valueOf(error)));
        if (aeronDirectory != null) {
            context.aeronDirectory(aeronDirectory);
        }
        if (secretFile != null) {
            context.secretFile(secretFile);
        }
        snapshots.applyTo(context, DeathPolicy.WAIT == settings.onDeath());
        terms.applyTo(context);
        return context;
    }

    private void note(String sentence) {
        if (attached) {
            new EventLines().write(System.out, new NodeEvent.Note("coordinator " + member, sentence));
        } else {
            System.err.println("sluice: " + sentence);
        }
    }
}
