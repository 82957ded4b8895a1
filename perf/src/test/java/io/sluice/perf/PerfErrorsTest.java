package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault gets one line, before anything is measured or written. */
@Timeout(30)
final class PerfErrorsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "filter --size 64mb       | --size is 64mb, expected 4kib to 1gib",
                "filter --size 2^40       | --size is 2^40, expected 4kib to 1gib",
                "filter --kept 1.5        | --kept is 1.5, expected a share from 0 to 1",
                "filter --kept -0.1       | --kept is -0.1, expected a share from 0 to 1",
                "filter --kept NaN        | --kept is NaN, expected a share from 0 to 1",
                "filter --kept much       | --kept is much, expected a share from 0 to 1",
                "filter --values f64      | --values is f64, expected all or some of f32",
                "filter --policy much:1   | --policy: filter is 'much:1', expected one of none",
                "filter --kernels axpi     | --kernels is axpi, expected some of branching-loop, filter-bitmap,",
                "filter --rounds 0        | --rounds is 0, expected 1 to 1000",
                "filter --threads 3       | --threads is 3, expected 1 to 2",
                "filter --width 100       | --width is 100, expected 128, 256 or 512",
                "filter --plot plot.pdf   | --plot plot.pdf: expected a name ending in .png or .svg",
                "codec --kept 2           | --kept is 2, expected a share from 0 to 1",
                "codec --link fast        | --link is 'fast', expected bits per second",
                "codec --compressors gzip | --compressors is gzip, expected none or lz4 or snappy or zstd",
                "link --size 63           | --size is 63, expected 64 to 65536 bytes, a multiple of 4",
                "link --size 66           | --size is 66, expected 64 to 65536 bytes",
                "link --size 65kib        | --size is 65kib, expected 64 to 65536 bytes",
                "link --mode fast         | --mode is fast, expected throughput or rtt or open-loop",
                "link --channel tcp       | --channel is tcp, expected ipc or udp",
                "link --rate 100          | --rate is for --mode open-loop, and the mode is throughput",
                "link --mode open-loop --rate 99 | --rate is 99.0, expected 100 to 10000000 frames a second",
                "link --mode open-loop --rate fast | --rate is 'fast', expected frames a second, or sweep",
                "link --mode open-loop --rate NaN | --rate is NaN, expected 100 to 10000000 frames a second",
                "link --hlog x.hlog       | --hlog x.hlog: --mode throughput records no latencies",
                "link --rounds 0          | --rounds is 0, expected 1 to 1000",
                "link --mode rtt --hlog missing/x.hlog | --hlog missing/x.hlog: the folder",
                "codec --threads 2        | unknown option '--threads' (see sluice perf codec --help)",
                "codec --compresors lz4   | unknown option '--compresors'; did you mean --compressors? (see",
                "run changes --changes kept=2 | --changes is kept=2, expected kept= a number above 0, up to 1",
                "run changes --changes steps=many | --changes is steps=many, expected steps= a number above 0",
                "run changes --changes tree=bush | tree is 'bush', expected one of auto",
                "run changes --changes speed=2 | --changes has the term 'speed=2', expected NAME=VALUE with one",
                "run changes --warmup 1 | --warmup plus --clocks is 5, expected an even number",
                "exhcange                 | unknown command 'exhcange'; did you mean exchange? (see sluice perf"
                        + " --help)",
                "lab rnu                  | unknown command 'rnu'; did you mean run? (see",
                "record dense             | Missing required option: '--out=FILE'",
                "record dense --out x --clocks 1000 --hidden 1000 | --clocks is 1000, expected at most 675 of 795010",
                "record embedding         | Missing required option: '--out=FILE'",
                "record embedding --out x --rows 1 | --rows is 1, expected 2 to 1000000",
                "record dense --out x --clocks 0 | --clocks is 0, expected 1 to 1000",
            })
    void aCommandLineThatIsWrong(String line, String message) {
        assertRefused(ExitCode.USAGE, message, PerfRun.of((Object[]) line.split(" +")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "codec", "link"})
    void aFileThatCannotBeWritten(String command) throws IOException {
        Path orphan = folder.resolve("missing").resolve("report.json");
        assertRefused(ExitCode.USAGE, "does not exist", PerfRun.of(command, "--json", orphan));
        assertRefused(ExitCode.USAGE, "is a folder, expected a file", PerfRun.of(command, "--json", folder));
        Path plot = folder.resolve("missing").resolve("plot.svg");
        assertRefused(ExitCode.USAGE, "does not exist", PerfRun.of(command, "--plot", plot));
        assertNothingIn(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "codec"})
    void updatesThatAreNone(String command) throws IOException {
        Path missing = folder.resolve("updates.f32");
        assertRefused(ExitCode.DATA, "there is no file " + missing, PerfRun.of(command, "--data", missing));
        Path odd = Files.write(folder.resolve("odd"), new byte[7]);
        assertRefused(ExitCode.DATA, odd + " has 7 bytes", PerfRun.of(command, "--data", odd));
        Files.delete(odd);
        assertNothingIn(folder);
    }

    @Test
    void moreOfATableThanWasRecorded() throws IOException {
        Path file = Files.write(folder.resolve("zeros"), new byte[4 * 1_024]);
        assertRefused(
                ExitCode.USAGE,
                "--size is 4096 elements, and zeros has 1024",
                PerfRun.of("filter", "--data", file, "--size", 4_096));
    }

    @Test
    void tablesThatDoNotFitIntoMemoryTogether() {
        assertRefused(
                ExitCode.UNAVAILABLE,
                "MiB are free: choose a smaller --size or fewer --values",
                PerfRun.of("filter", "--size", "2^28", "--values", "all", "--policy", "topk:0.1", "--kept", 0.5));
    }

    private static void assertRefused(int exitCode, String message, PerfRun run) {
        assertTrue(run.err().startsWith("sluice: "), run::toString);
        assertTrue(run.err().contains(message), run::toString);
        assertEquals(1, run.err().lines().count(), run::toString);
        assertEquals(exitCode, run.exitCode(), run::toString);
    }

    private static void assertNothingIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
    }
}
