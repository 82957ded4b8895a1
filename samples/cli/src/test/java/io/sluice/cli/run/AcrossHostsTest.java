package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster over three hosts, each a network namespace with a media driver of its own. */
@Tag("slow")
@Timeout(400)
class AcrossHostsTest {
    private static final int HOSTS = 3;

    private final String run = UUID.randomUUID().toString();

    @TempDir
    private Path folder;

    private final List<CliRun> drivers = new ArrayList<>();

    @Test
    void sealedOverALossyNetworkTrainsAsTheReferenceDoes() throws IOException {
        trainsAsTheReferenceDoes("udp", 0.02, true);
    }

    @Test
    @Tag("trial")
    void inSharedMemoryOfEachHostTrainsAsTheReferenceDoes() throws IOException {
        trainsAsTheReferenceDoes("ipc", 0, false);
    }

    private void trainsAsTheReferenceDoes(String transport, double loss, boolean sealed) throws IOException {
        Path secret = folder.resolve("secret");
        ClusterSecret.create(secret);
        List<Object> terms = new ArrayList<>(List.of("--workers", 3, "--servers", 2, "--filter", "none"));
        terms.addAll(List.of("--consistency", "bsp", "--transport", transport));
        if (sealed) {
            terms.add("--seal");
        }
        Object[] access = sealed ? new Object[] {"--secret-file", secret} : new Object[] {"--without-secret"};
        terms.addAll(List.of(access));
        try (Namespaces hosts = new Namespaces(HOSTS)) {
            String reference = LrRun.hash(LrRun.report(HandMade.training("--workers", 3, "--reference")));
            try (HandMade nodes = new HandMade(hosts.address(0) + ":20100")) {
                startDrivers(hosts, loss);
                nodes.coordinator(hosts.on(0), directory(0), terms.toArray());
                nodes.server(hosts.on(1), directory(1), access);
                nodes.worker(hosts.on(1), directory(1), access);
                nodes.worker(hosts.on(2), directory(2), access);
                nodes.worker(hosts.on(2), directory(2), access);
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
        try {
            for (CliRun driver : drivers) {
                driver.interrupt();
                assertEquals(ExitCode.INTERRUPTED, driver.exitCode(), driver::toString);
            }
        } finally {
            drivers.forEach(CliRun::close);
        }
        for (int host = 0; host < HOSTS; host++) {
            assertFalse(Files.exists(directory(host)));
        }
    }
}
