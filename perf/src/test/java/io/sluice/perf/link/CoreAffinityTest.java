package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
final class CoreAffinityTest {
    /** The kernel's list of cores of the calling thread, such as {@code 0-3,7}. */
    private static String allowed() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/thread-self/status"))) {
            return lines.filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String afterBindingTo(int ordinal) throws ExecutionException, InterruptedException {
        try (ExecutorService fresh = Executors.newSingleThreadExecutor()) {
            return fresh.submit(() -> {
                        assertEquals(ordinal < Runtime.getRuntime().availableProcessors(), CoreAffinity.bind(ordinal));
                        return allowed();
                    })
                    .get();
        }
    }

    @Test
    void aThreadIsBoundToOneCoreAndOthersAreNot() throws Exception {
        String before = allowed();
        String first = afterBindingTo(0);
        assertFalse(first.contains("-") || first.contains(","), first);
        if (Runtime.getRuntime().availableProcessors() > 1) {
            assertNotEquals(first, afterBindingTo(1));
        }
        assertEquals(before, allowed());
    }

    @Test
    void aCoreThatIsNotThereChangesNothing() throws Exception {
        assertEquals(allowed(), afterBindingTo(5_000));
    }
}
