package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.terms.ClusterSettings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class SnapshotOptionsTest {
    private static final Path FOLDER = Path.of("snapshots");
    private static final ClusterSettings CLUSTER =
            ClusterSettings.builder().servers(1).workers(2).build();

    @Command(name = "job")
    private static final class Job {
        @Mixin
        private SnapshotOptions snapshots;
    }

    private static SnapshotOptions parsed(List<String> arguments) {
        Job job = new Job();
        new CommandLine(job).parseArgs(arguments.toArray(String[]::new));
        return job.snapshots;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "--restore", "--restore 1200", "--snapshot-every 7 --restore", "--snapshot-every auto:6h"})
    void theCoordinatorGetsThemUnchanged(String line) {
        List<String> given = line.isEmpty() ? List.of() : List.of(line.split(" "));
        SnapshotOptions options = parsed(given);
        options.check(FOLDER);
        List<String> passed = options.arguments(SharedSnapshot.none(CLUSTER), false);
        assertEquals(given, passed);
        assertEquals(given, parsed(passed).arguments(SharedSnapshot.none(CLUSTER), false));
    }

    /** A clock to restore applies to the first start only. */
    @Test
    void aRestartedJobContinuesFromTheNewestSnapshot() {
        SnapshotOptions options = parsed(List.of("--snapshot-every=7", "--restore=1200"));
        assertEquals(
                List.of("--snapshot-every", "7", "--restore"), options.arguments(SharedSnapshot.none(CLUSTER), true));
    }

    /** In an elastic job the nodes to start depend on the clock. */
    @Test
    void theCoordinatorGetsTheClockOfTheSharedSnapshot() {
        SharedSnapshot shared = new SharedSnapshot(70, WorkerSetHistory.of(1, 2), List.of(0, 1, 2));
        assertEquals(List.of("--restore", "70"), parsed(List.of("--restore")).arguments(shared, false));
        assertEquals(List.of("--restore", "70"), parsed(List.of()).arguments(shared, true));
        assertEquals(List.of("--restore", "70"), parsed(List.of("--restore=30")).arguments(shared, true));
        assertEquals(List.of("--restore", "30"), parsed(List.of("--restore=30")).arguments(shared, false));
    }

    @ParameterizedTest
    @CsvSource({
        "--restore=-1, --restore is '-1'",
        "--restore=x, --restore is 'x'",
        "--snapshot-every=0, --snapshot-every"
    })
    void invalidCombinationsAreRefused(String option, String words) {
        SnapshotOptions options = parsed(List.of(option));
        String message = assertThrows(IllegalArgumentException.class, () -> options.check(FOLDER))
                .getMessage();
        assertTrue(message.startsWith(words), message);
    }

    @Test
    void withoutAFolderTheyHaveNoEffect() {
        for (String option : List.of("--restore", "--restore=3", "--snapshot-every=5")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> parsed(List.of(option)).check(null),
                    option);
        }
        assertThrows(IllegalArgumentException.class, () -> SnapshotKeep.check(3, null));
    }

    @Test
    void refusesToKeepTooFewOrTooManySnapshots() {
        SnapshotKeep.check(null, FOLDER);
        SnapshotKeep.check(2, FOLDER);
        SnapshotKeep.check(64, FOLDER);
        for (int number : new int[] {1, 65, -3}) {
            assertThrows(IllegalArgumentException.class, () -> SnapshotKeep.check(number, FOLDER), "" + number);
        }
    }
}
