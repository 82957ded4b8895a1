package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A worker of the next schema version at a cluster of this one. */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "uses /dev/shm")
class OtherVersionTest {
    @TempDir
    private Path classes;

    @Tag("slow")
    @Test
    void isRefusedWithBothVersions() throws IOException {
        NextVersion.into(classes);
        Path directory = Path.of("/dev/shm", "sluice-test-" + UUID.randomUUID());
        String cluster = "127.0.0.1:" + ByHandTest.freePort();
        try (CliRun driver = Cli.plain().start("driver", "--aeron-dir", directory)) {
            driver.awaitOut("media driver in ");
            try (CliRun server = Cli.plain()
                            .start(
                                    "server",
                                    "--coordinate",
                                    "--workers",
                                    1,
                                    "--servers",
                                    1,
                                    "--cluster",
                                    cluster,
                                    "--aeron-dir",
                                    directory);
                    CliRun worker = Cli.plain()
                            .withClassesFrom(classes)
                            .start("worker", "lr", "--cluster", cluster, "--aeron-dir", directory)) {
                String said = worker.assertRefused(ExitCode.CLUSTER);
                assertTrue(
                        said.contains("the node speaks protocol version " + (Frame.SCHEMA_VERSION + 1)
                                + ", this cluster speaks " + Frame.SCHEMA_VERSION),
                        said);
                assertTrue(server.isAlive(), () -> "the server waits on for one of its own: " + server);
            }
            driver.interrupt();
            driver.exitCode();
        }
    }
}
