package io.sluice.cli;

import io.sluice.cli.launch.EventLines;
import io.sluice.cli.launch.NodeEvent;
import io.sluice.consistency.membership.SecretContext;
import io.sluice.consistency.terms.ClusterException;
import java.nio.file.Path;
import org.agrona.ErrorHandler;
import picocli.CommandLine.Option;

/** The options of each process of a cluster: its media driver, its secret, and the form of its output. */
final class ProcessOptions {
    /** Of a process that a parent has started. */
    static final String ATTACHED = "--attached";

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
            description = "Receive from other hosts without a secret: any node that reaches this host can join.")
    private boolean withoutSecret;

    @Option(names = ATTACHED, hidden = true, description = "Speak JSON lines, and end when standard input does.")
    private boolean attached;

    /** Whether a parent process reads this one's output. */
    boolean attached() {
        return attached;
    }

    /** The media driver's directory, or null for the default. */
    Path aeronDirectory() {
        return aeronDirectory;
    }

    /** Tells a parent that this process runs, and is about to join. */
    void started(String name) {
        if (attached) {
            new EventLines().write(System.out, new NodeEvent.Started(name));
        }
    }

    /** Reports something that does not end this process to the user or the parent process. */
    void note(String name, String sentence) {
        if (attached) {
            new EventLines().write(System.out, new NodeEvent.Note(name, sentence));
        } else {
            System.err.println("sluice: " + sentence);
        }
    }

    /** Tells of errors by their sentences, where they have some, in the name of a process. */
    ErrorHandler notes(String name) {
        return error -> note(name, ClusterException.sentence(error));
    }

    /** What is not given here is as a context has it, by its properties or defaults. */
    void applyTo(SecretContext<?> context) {
        if (secretFile != null) {
            context.secretFile(secretFile);
        }
        if (withoutSecret) {
            context.withoutSecret(true);
        }
    }
}
