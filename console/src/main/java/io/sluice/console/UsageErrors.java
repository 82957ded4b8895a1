package io.sluice.console;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * States in one line the fault of a command line, the options or commands that the user may have meant, and where the
 * help is. The exit code is 2, that of wrong usage.
 */
public final class UsageErrors implements IParameterExceptionHandler {
    /** For an option that a command may not have, options with about the same meaning. */
    private final Map<String, List<String>> synonyms;

    /** Suggests only options that resemble the unknown one. */
    public UsageErrors() {
        this(Map.of());
    }

    /**
     * Suggests options that mean the same before options that resemble the unknown one.
     *
     * @param synonyms for an option that a command may not have, the options to use instead
     */
    public UsageErrors(Map<String, List<String>> synonyms) {
        this.synonyms = synonyms;
    }

    @Override
    public int handleParseException(ParameterException exception, String[] args) {
        CommandLine command = exception.getCommandLine();
        CommandSpec spec = command.getCommandSpec();
        command.getErr()
                .println(command.getColorScheme()
                        .errorText("sluice: " + sentence(exception) + " (see " + spec.qualifiedName() + " --help)"));
        return spec.exitCodeOnInvalidInput();
    }

    private String sentence(ParameterException exception) {
        Set<String> commands = exception.getCommandLine().getSubcommands().keySet();
        if (exception instanceof UnmatchedArgumentException unmatched) {
            return unknown(unmatched, commands);
        }
        String message = exception
                .getMessage()
                .replaceFirst("(?<=\\d') is not an int$", ", expected a whole number up to " + Integer.MAX_VALUE)
                .replaceFirst(" is not an? (int|long)$", ", expected a whole number")
                .replaceFirst(" is not a (double|float)$", ", expected a number");
        return commands.isEmpty()
                ? message
                : message + ", expected " + (commands.size() == 1 ? "" : "one of ") + String.join(", ", commands);
    }

    private String unknown(UnmatchedArgumentException exception, Set<String> commands) {
        String written = exception.getUnmatched().getFirst();
        if (exception.isUnknownOption()) {
            String option = written.replaceFirst("=.*", "");
            List<String> options = options(exception.getCommandLine().getCommandSpec());
            List<String> same = synonyms.getOrDefault(option, List.of()).stream()
                    .filter(options::contains)
                    .toList();
            return "unknown option '" + option + "'"
                    + (same.isEmpty() ? Suggestions.question(option, options) : Suggestions.question(same));
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
