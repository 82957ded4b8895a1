package io.sluice.console;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * States in one line what is wrong with a command line, which options or commands the user may have meant, and where
 * the help is. The exit code is 2, that of wrong usage.
 */
public final class UsageErrors implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException exception, String[] args) {
        CommandLine command = exception.getCommandLine();
        CommandSpec spec = command.getCommandSpec();
        command.getErr()
                .println(command.getColorScheme()
                        .errorText("sluice: " + sentence(exception) + " (see " + spec.qualifiedName() + " --help)"));
        return spec.exitCodeOnInvalidInput();
    }

    private static String sentence(ParameterException exception) {
        Set<String> commands = exception.getCommandLine().getSubcommands().keySet();
        if (exception instanceof UnmatchedArgumentException unmatched) {
            return unknown(unmatched, commands);
        }
        return commands.isEmpty()
                ? exception.getMessage()
                : exception.getMessage() + ", expected " + (commands.size() == 1 ? "" : "one of ")
                        + String.join(", ", commands);
    }

    private static String unknown(UnmatchedArgumentException exception, Set<String> commands) {
        String written = exception.getUnmatched().getFirst();
        if (exception.isUnknownOption()) {
            String option = written.replaceFirst("=.*", "");
            return "unknown option '" + option + "'"
                    + Suggestions.question(
                            option, options(exception.getCommandLine().getCommandSpec()));
        }
        String kind = commands.isEmpty() ? "argument" : "command";
        return "unknown " + kind + " '" + written + "'" + Suggestions.question(written, commands);
    }

    private static List<String> options(CommandSpec spec) {
        return spec.options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Arrays.stream(option.names()))
                .toList();
    }
}
