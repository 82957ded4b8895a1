package io.sluice.samples.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.samples.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cluster over three hosts, each a network namespace with a media driver of its own. */
@Tag("slow")
@Timeout(240)
class AcrossHostsTest {
    private static final int HOSTS = 3;

    private final String run = UUID.randomUUID().toString();
    private final List<CliRun> drivers = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"bsp, ipc, 0", "bsp, udp, 0.02"})
    void trainsAsTheReferenceDoes(String consistency, String transport, double loss) {
        try (Namespaces hosts = new Namespaces(HOSTS)) {
            String reference = LrRun.hash(LrRun.report(HandMade.training("--workers", 3, "--reference")));
            try (HandMade nodes = new HandMade(hosts.address(0) + ":40100")) {
                startDrivers(hosts, loss);
                nodes.coordinator(
                        hosts.on(0),
                        directory(0),
                        "--workers",
                        3,
                        "--servers",
                        2,
                        "--filter",
                        "none",
                        "--consistency",
                        consistency,
                        "--transport",
                        transport);
                nodes.server(hosts.on(1), directory(1));
                nodes.worker(hosts.on(1), directory(1));
                nodes.worker(hosts.on(2), directory(2));
                nodes.worker(hosts.on(2), directory(2));
                assertEquals(Collections.nCopies(3, reference), nodes.hashes());
                nodes.assertServersEnd();
            } finally {
                endDrivers();
            }
        }
    }

    private Path directory(int host) {
        return Path.of("/dev/shm", "sluice-test-" + run + "-" + host);
    }

    private void startDrivers(Namespaces hosts, double loss) {
        for (int host = 0; host < HOSTS; host++) {
            drivers.add(hosts.on(host).start("driver", "--aeron-dir", directory(host), "--loss", loss));
        }
        for (CliRun driver : drivers) {
            driver.awaitOut("media driver in ");
        }
    }

    private void endDrivers() {
        for (CliRun driver : drivers) {
            try (driver) {
                driver.interrupt();
                assertEquals(ExitCode.INTERRUPTED, driver.exitCode(), driver::toString);
            }
        }
        for (int host = 0; host < HOSTS; host++) {
            assertFalse(Files.exists(directory(host)));
        }
    }
}
