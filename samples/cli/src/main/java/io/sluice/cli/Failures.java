package io.sluice.cli;

import io.sluice.cli.launch.ChildFailedException;
import io.sluice.cli.launch.EventLines;
import io.sluice.cli.launch.NodeEvent;
import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.consistency.snapshot.SnapshotException;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.console.ExitCode;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.NoDriverException;
import io.sluice.messaging.api.MessagingException;
import io.sluice.samples.data.DataFormatException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Turns exceptions of a command into one line and an exit code. Only a fault of the program itself shows a stack trace,
 * and only with {@code -Dsluice.trace=true}.
 */
final class Failures implements IExecutionExceptionHandler {
    private final Consumer<NodeEvent> job;

    /** Creates the handler for a command that is alone in this process. */
    Failures() {
        this(event -> new EventLines().write(System.out, event));
    }

    /** Creates the handler for the command of a node that reports to a job. */
    Failures(Consumer<NodeEvent> job) {
        this.job = job;
    }

    @Override
    public int handleExecutionException(Exception exception, CommandLine command, ParseResult parsed) {
        command.getErr().println(command.getColorScheme().errorText("sluice: " + sentence(exception)));
        if (Boolean.getBoolean("sluice.trace")) {
            exception.printStackTrace(command.getErr());
        }
        ParseResult own = command.getParseResult();
        if (own != null && own.hasMatchedOption(ProcessOptions.ATTACHED) && isLasting(exception)) {
            job.accept(new NodeEvent.Refused(sentence(exception)));
        }
        return exitCode(exception);
    }

    /** Whether the same command would fail again, because another attempt would have the same conditions. */
    static boolean isLasting(Exception exception) {
        return switch (exception) {
            case ClusterException e -> e.failure() == Failure.REFUSED || e.failure() == Failure.NOT_FINITE;
            case SnapshotException _ -> true;
            case MessagingException _ -> false;
            case ChildFailedException e -> e.kind() == ChildFailedException.Kind.LASTING;
            case InterruptedException _ -> false;
            default -> true;
        };
    }

    static int exitCode(Exception exception) {
        return switch (exception) {
            case ChildFailedException e -> e.exitCode();
            case ClusterException e ->
                switch (e.failure()) {
                    case CLOSED -> ExitCode.INTERRUPTED;
                    case NOT_FINITE -> ExitCode.DATA; // a job that is started again computes the same numbers
                    default -> ExitCode.CLUSTER;
                };
            case MessagingException _ -> ExitCode.UNAVAILABLE;
            case MissingLibraryException _ -> ExitCode.UNAVAILABLE;
            case UnavailableException _ -> ExitCode.UNAVAILABLE;
            case DataFormatException _ -> ExitCode.DATA;
            case IOException _ -> ExitCode.DATA;
            case IllegalArgumentException _ -> ExitCode.USAGE;
            case InterruptedException _ -> ExitCode.INTERRUPTED;
            default -> ExitCode.INTERNAL;
        };
    }

    static String sentence(Exception exception) {
        if (exception instanceof NoSuchFileException missing) {
            Path folder = Path.of(missing.getFile()).getParent();
            boolean hasFolder = null == folder || Files.isDirectory(folder);
            return hasFolder ? "there is no file " + missing.getFile() : "there is no folder " + folder;
        }
        if (exception instanceof AccessDeniedException denied) {
            return "no permission for the file " + denied.getFile();
        }
        if (exception instanceof InterruptedException) {
            return "interrupted";
        }
        if (exception instanceof NoDriverException none) {
            return none.getMessage() + " (sluice driver --aeron-dir " + none.directory() + " starts one)";
        }
        if (exitCode(exception) == ExitCode.INTERNAL) {
            return "internal error: " + exception + " (SLUICE_JVM_OPTS=-Dsluice.trace=true shows where)";
        }
        return exception.getMessage();
    }
}
