package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command line is started by hand, with flags other than the launcher's, or without flags. */
@Timeout(400)
class JvmFlagsTest {

    private static CliRun start(List<String> flags, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.sluice.cli.Sluice"));
        command.addAll(List.of(arguments));
        return Cli.run("by hand", command, Map.of());
    }

    @Test
    void missingFlagsAreNamed() {
        Path directory = Path.of("/dev/shm", "sluice-test-" + UUID.randomUUID());
        try (CliRun run = start(List.of(), "train", "lr", "--aeron-dir", directory.toString())) {
            String said = run.assertRefused(ExitCode.UNAVAILABLE);
            assertTrue(said.contains("started without --add-exports=java.base/jdk.internal.misc"), said);
        }
        assertFalse(Files.exists(directory));
    }

    @Test
    @Tag("trial")
    void childrenGetTheFlagsOfTheParent() throws IOException {
        List<String> flags = Files.readAllLines(Cli.home().resolve("jvm.args"));
        String[] job = "train lr --processes --workers 1 --servers 1 --clocks 2 --features 1024".split(" ");
        try (CliRun run = start(flags, job)) {
            assertEquals(ExitCode.OK, run.exitCode(), run::toString);
        }
    }

    @Test
    void aChildThatFailsWithThemNamesTheCause() throws IOException {
        List<String> flags = new ArrayList<>(Files.readAllLines(Cli.home().resolve("jvm.args")));
        flags.add("-Dsluice.udp.term.length=tall");
        try (CliRun run = start(flags, "worker", "lr")) {
            assertTrue(run.exitCode() != ExitCode.OK);
            assertTrue(run.complaints().getLast().contains("sluice.udp.term.length=tall"), run::toString);
        }
    }
}
