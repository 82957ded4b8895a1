package io.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/**
 * Refuses an option of an {@link ArgGroup} that is given twice, as picocli refuses any other option. Otherwise picocli
 * would start another group with the second occurrence and ignore the options before it.
 */
final class EachOptionOnce implements IExecutionStrategy {
    private final IExecutionStrategy last = new RunLast();

    @Override
    public int execute(ParseResult parsed) {
        Integer help = CommandLine.executeHelpRequest(parsed);
        if (help != null) {
            return help;
        }
        for (ParseResult each = parsed; each != null; each = each.subcommand()) {
            for (ArgGroupSpec group : each.commandSpec().argGroups()) {
                refuseTwice(each, group);
            }
        }
        return last.execute(parsed);
    }

    private static void refuseTwice(ParseResult parsed, ArgGroupSpec group) {
        for (OptionSpec option : group.options()) {
            long times = parsed.findMatches(group).stream()
                    .flatMap(container -> container.matches().stream())
                    .filter(match -> !match.matchedValues(option).isEmpty())
                    .count();
            if (times > 1 && !option.isMultiValue()) {
                throw new OverwrittenOptionException(
                        parsed.commandSpec().commandLine(),
                        option,
                        "option '" + option.longestName() + "' (" + option.paramLabel()
                                + ") should be specified only once");
            }
        }
    }
}
