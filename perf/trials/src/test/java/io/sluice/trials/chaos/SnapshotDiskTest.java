package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@EnabledOnOs(value = OS.LINUX, disabledReason = "mounts a tmpfs")
final class SnapshotDiskTest {
    @TempDir
    private Path folder;

    private static boolean mount(String name, Path at) throws IOException, InterruptedException {
        Files.createDirectories(at);
        Process mount = new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=1m", name, at.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return mount.waitFor(10, TimeUnit.SECONDS) && mount.exitValue() == 0;
    }

    private static boolean isMounted(Path at) throws IOException {
        return Files.readString(Path.of("/proc/self/mounts")).contains(" " + at + " ");
    }

    private static long pidOfAnEndedProcess() throws IOException, InterruptedException {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }

    @Test
    void unmountsOnlyTheDisksOfKilledTrials() throws IOException, InterruptedException {
        Path dead = folder.resolve("dead");
        Path living = folder.resolve("living");
        assumeTrue(mount("sluice-chaos-" + pidOfAnEndedProcess(), dead), "only root may mount");
        assertTrue(mount("sluice-chaos-" + ProcessHandle.current().pid(), living));
        try (SnapshotDisk disk = new SnapshotDisk(folder.resolve("snapshots"))) {
            assertTrue(disk.canBeFilled());
            assertFalse(isMounted(dead));
            assertTrue(isMounted(living));
        } finally {
            new ProcessBuilder("umount", living.toString()).start().waitFor();
        }
        assertFalse(isMounted(folder.resolve("snapshots")));
        assertEquals(
                0, Files.list(folder).filter(path -> path.endsWith("snapshots")).count());
    }
}
