package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;

/** A fork without the flags fails, and JMH then prints an empty table. */
final class BenchmarkForksTest {
    @Test
    void forksGetTheFlagsOfJvmArgs() throws IOException {
        List<String> flags = Files.readAllLines(Path.of("..", "jvm.args"));
        Set<BenchmarkListEntry> benchmarks = BenchmarkList.defaultList()
                .getAll(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT), List.of());
        assertFalse(benchmarks.isEmpty());
        for (BenchmarkListEntry benchmark : benchmarks) {
            assertEquals(flags, List.copyOf(benchmark.getJvmArgsAppend().orElse(List.of())), benchmark.getUsername());
        }
    }
}
