package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class SluiceTest {
    private static final Set<String> ALL = Set.of("lr", "mf", "mlr", "lda", "cnn");

    private static Set<String> workloads(String command, String... args) {
        CommandLine line = Sluice.commandLine(CommandLine.defaultFactory(), new Failures(), args);
        return line.getSubcommands().get(command).getSubcommands().keySet();
    }

    @Test
    void aCommandOfOneWorkloadReadsTheOptionsOfNoOther() {
        assertEquals(Set.of("lr"), workloads("train", "train", "lr", "--workers", "2"));
        assertEquals(Set.of(), workloads("worker", "train", "lr", "--workers", "2"));
        assertEquals(Set.of("mf"), workloads("worker", "worker", "mf", "lr"));
        assertEquals(Set.of(), workloads("train", "stat", "train"));
    }

    @Test
    void aWrongOrMissingNameLeavesAllToSuggestOrList() {
        assertEquals(ALL, workloads("train", "train", "rl"));
        assertEquals(ALL, workloads("train", "train", "--help"));
        assertEquals(ALL, workloads("worker", "worker"));
        assertEquals(ALL, workloads("worker"));
    }

    @Test
    void aFileOfArgumentsMayMeanEveryCommand() {
        assertEquals(ALL, workloads("train", "@arguments"));
        assertEquals(ALL, workloads("worker", "worker", "@arguments"));
    }
}
