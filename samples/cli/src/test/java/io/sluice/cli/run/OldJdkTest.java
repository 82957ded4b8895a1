package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The launcher reports that every JDK it finds is too old: a copy that requires a future version. */
@Timeout(60)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a shell script")
class OldJdkTest {
    private static final int NEED = 999;

    @TempDir
    private Path folder;

    private Path launcher;

    @BeforeEach
    void copyTheLauncher() throws IOException {
        String script = Files.readString(Cli.home().resolve("sluice"));
        String raised = script.replace("\nneed=25\n", "\nneed=" + NEED + "\n");
        assertFalse(raised.equals(script), "the launcher states what it needs");
        launcher = Files.writeString(folder.resolve("sluice"), raised);
        assertTrue(launcher.toFile().setExecutable(true));
    }

    private CliRun launched(Map<String, String> environment) {
        return Cli.run("the launcher", List.of(launcher.toString(), "train", "lr"), environment);
    }

    @Test
    void isSaidWithWhatWasFoundAndWhereToGetABetterOne() throws IOException {
        try (CliRun run = launched(Map.of("JAVA_HOME", fakeJdk("11.0.2").toString()))) {
            assertEquals(ExitCode.UNAVAILABLE, run.exitCode(), run::toString);
            List<String> lines = run.err().lines().toList();
            assertTrue(lines.getFirst().startsWith("sluice: needs a JDK " + NEED + " or newer; found: 11"), run.err());
            assertTrue(lines.getLast().startsWith("sluice: get one from https://adoptium.net"), run.err());
            assertEquals("", run.out());
        }
        assertFalse(Files.exists(folder.resolve("samples")), "nothing was built");
    }

    @Test
    void isNotMistakenForANewOneBecauseOfItsOldStyleVersion() throws IOException {
        try (CliRun run = launched(Map.of("JAVA_HOME", fakeJdk("1.8.0_402").toString()))) {
            assertEquals(ExitCode.UNAVAILABLE, run.exitCode(), run::toString);
            assertTrue(run.err().contains("found: 8"), run.err());
        }
    }

    /** What the launcher checks: two executables and the release file. */
    private Path fakeJdk(String version) throws IOException {
        Path jdk = folder.resolve("jdk");
        Files.createDirectories(jdk.resolve("bin"));
        for (String tool : List.of("java", "javac")) {
            Path file = Files.writeString(jdk.resolve("bin").resolve(tool), "#!/bin/sh\nexit 1\n");
            assertTrue(file.toFile().setExecutable(true));
        }
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return jdk;
    }
}
