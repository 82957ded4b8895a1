package io.sluice.perf;

import io.sluice.console.ExitCode;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Turns the exception of a command into one line and an exit code, as the other commands of {@code sluice} do. Only a
 * fault of the program itself shows a stack trace, and only with {@code -Dsluice.trace=true}.
 */
final class Failures implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception exception, CommandLine command, ParseResult parsed) {
        command.getErr().println(command.getColorScheme().errorText("sluice: " + sentence(exception)));
        if (Boolean.getBoolean("sluice.trace")) {
            exception.printStackTrace(command.getErr());
        }
        return exitCode(exception);
    }

    static int exitCode(Exception exception) {
        return switch (exception) {
            case UnavailableException _, MessagingException _ -> ExitCode.UNAVAILABLE;
            case IOException _, UncheckedIOException _ -> ExitCode.DATA;
            case IllegalArgumentException _ -> ExitCode.USAGE;
            case InterruptedException _ -> ExitCode.INTERRUPTED;
            default -> ExitCode.INTERNAL;
        };
    }

    private static String sentence(Exception exception) {
        return switch (exception) {
            case NoSuchFileException missing -> "there is no file " + missing.getFile();
            case AccessDeniedException denied -> "no permission for the file " + denied.getFile();
            case InterruptedException _ -> "interrupted";
            case Exception e
            when exitCode(e) == ExitCode.INTERNAL ->
                "internal error: " + e + " (SLUICE_JVM_OPTS=-Dsluice.trace=true shows where)";
            default -> exception.getMessage();
        };
    }
}
