package io.sluice.samples;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/**
 * Refuses an option that is given twice, also one of a {@link ArgGroup}: picocli would take the second for the begin of
 * another group, and forget all that was said before it.
 */
final class EachOptionOnce implements IExecutionStrategy {
    private final IExecutionStrategy last = new RunLast();

    @Override
    public int execute(ParseResult parsed) {
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
            if (times > 1) {
                throw new OverwrittenOptionException(
                        parsed.commandSpec().commandLine(),
                        option,
                        "option '" + option.longestName() + "' (" + option.paramLabel()
                                + ") should be specified only once");
            }
        }
    }
}
