package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class OptionGroupsTest {
    static List<CommandLine> commands() {
        return Stream.of(
                        "train lr",
                        "train mf",
                        "server",
                        "coordinator",
                        "worker lr",
                        "worker mf",
                        "train mlr",
                        "worker mlr",
                        "train lda",
                        "worker lda",
                        "train cnn",
                        "worker cnn")
                .map(OptionGroupsTest::command)
                .toList();
    }

    private static CommandLine command(String words) {
        CommandLine line = Sluice.commandLine(CommandLine.defaultFactory(), new Failures());
        for (String word : words.split(" ")) {
            line = line.getSubcommands().get(word);
        }
        return line;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyOptionHasAGroup(CommandLine command) {
        List<String> others = command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp())
                .filter(option -> "Other options".equals(OptionGroups.headingOf(option)))
                .map(OptionSpec::longestName)
                .toList();
        assertEquals(List.of(), others);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theHelpNamesEveryOptionOnceAndTheEverydayOnesFirst(CommandLine command) {
        String help = command.getUsageMessage();
        List<String> listed = help.lines()
                .filter(line -> line.matches(" {2,6}(-., )?--[a-z-]+.*"))
                .map(line -> line.replaceAll("^ {2,6}(-., )?(--[a-z-]+).*", "$2"))
                .toList();
        Set<String> expected = Set.copyOf(command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .toList());
        assertEquals(expected, Set.copyOf(listed), help);
        assertEquals(expected.size(), listed.size(), help);
        if (listed.contains("--workers") && listed.contains("--liveness-ms")) {
            assertTrue(listed.indexOf("--workers") < listed.indexOf("--liveness-ms"), help);
        }
    }
}
