package io.sluice.cli;

import io.sluice.cli.launch.EventLines;
import io.sluice.cli.launch.NodeEvent;
import io.sluice.consistency.node.SecretContext;
import io.sluice.consistency.terms.ClusterException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.agrona.ErrorHandler;
import picocli.CommandLine.Option;

/** The options of each process of a cluster: its media driver, its secret, and the form of its output. */
final class ProcessOptions {
    /** The option that marks a process that a parent has started. */
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

    /** The receiver of reports from a node on a thread of this JVM; null in a process of its own. */
    private final Consumer<NodeEvent> job;

    private final EventLines lines = new EventLines();

    ProcessOptions() {
        this(null);
    }

    ProcessOptions(Consumer<NodeEvent> job) {
        this.job = job;
    }

    /** Whether a job has started this node, and receives its reports. */
    boolean attached() {
        return attached;
    }

    /** Attaches the calling thread's work to its starter: the user, a parent process, or a job of this JVM. */
    Attachment attach() {
        return job == null ? Attachment.of(attached) : Attachment.toThread();
    }

    /** Reports an event to the job that has started this node. */
    void tell(NodeEvent event) {
        if (job == null) {
            lines.write(System.out, event);
        } else {
            job.accept(event);
        }
    }

    /** The media driver's directory, or null for the default. */
    Path aeronDirectory() {
        return aeronDirectory;
    }

    /** Reports to the user what this process has opened and what it waits for; a job receives events instead. */
    void opened(String sentence) {
        if (!attached) {
            System.out.println(sentence);
        }
    }

    /** Reports to the job that this node runs and is about to join. */
    void started(String name) {
        if (attached) {
            tell(new NodeEvent.Started(name));
        }
    }

    /** Reports to the job that this node has joined. */
    void joined(String name) {
        if (attached) {
            tell(new NodeEvent.Joined(name));
        }
    }

    /** Reports a warning, which does not end this node, to the user or the job. */
    void note(String name, String sentence) {
        if (attached) {
            tell(new NodeEvent.Note(name, sentence));
        } else {
            System.err.println("sluice: " + sentence);
        }
    }

    /**
     * Creates a handler that passes each error to {@link #note}: the message of an exception of Sluice, the string form
     * of any other.
     */
    ErrorHandler notes(String name) {
        return error -> note(name, ClusterException.sentence(error));
    }

    /** Applies the given options; the others keep the context's properties or defaults. */
    void applyTo(SecretContext<?> context) {
        if (secretFile != null) {
            context.secretFile(secretFile);
        }
        if (withoutSecret) {
            context.withoutSecret(true);
        }
    }
}
