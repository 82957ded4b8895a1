package io.sluice.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

final class UsageErrorsTest {
    @Command(
            name = "mill",
            subcommands = {Grind.class, Weigh.class})
    static final class Mill {}

    @Command(name = "grind")
    static final class Grind implements Runnable {
        @Option(names = {"-s", "--stones"})
        private int stones;

        @Option(names = "--weight")
        private double weight;

        @Option(names = "--stone", hidden = true)
        private int stone;

        @Override
        public void run() {}
    }

    @Command(name = "weigh")
    static final class Weigh implements Runnable {
        @Override
        public void run() {}
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "grnid            | unknown command 'grnid'; did you mean grind? (see mill --help)",
                "sow              | unknown command 'sow' (see mill --help)",
                "grind --stonse=2 | unknown option '--stonse'; did you mean --stones? (see mill grind --help)",
                "grind --wheels 2 | unknown option '--wheels' (see mill grind --help)",
                "grind --discs=2  | unknown option '--discs'; did you mean --stones? (see mill grind --help)",
                "weigh --discs=2  | unknown option '--discs' (see mill weigh --help)",
                "grind -s 2147483648 | Invalid value for option '--stones': '2147483648', expected a whole number up to"
                        + " 2147483647 (see mill grind --help)",
                "grind -s 1x      | Invalid value for option '--stones': '1x', expected a whole number"
                        + " (see mill grind --help)",
                "grind -s 1.5     | Invalid value for option '--stones': '1.5', expected a whole number up to"
                        + " 2147483647 (see mill grind --help)",
                "grind --weight=x | Invalid value for option '--weight': 'x', expected a number"
                        + " (see mill grind --help)",
                "grind rye        | unknown argument 'rye' (see mill grind --help)",
                "\"\"             | Missing required subcommand, expected one of grind, weigh (see mill --help)",
            })
    void oneLineNamesTheFaultAndWhatWasMeant(String line, String message) {
        CommandLine mill = new CommandLine(new Mill())
                .setParameterExceptionHandler(new UsageErrors(Map.of("--discs", List.of("--stones"))));
        StringWriter err = new StringWriter();
        mill.setErr(new PrintWriter(err, true));
        String[] words = line.isEmpty() ? new String[0] : line.split(" ");
        assertEquals(CommandLine.ExitCode.USAGE, mill.execute(words));
        assertEquals("sluice: " + message, err.toString().strip());
    }
}
