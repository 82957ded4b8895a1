package io.sluice.filter.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class KernelsTest {
    private final String before = System.getProperty(Kernels.PROPERTY);

    @AfterEach
    void restore() {
        if (before == null) {
            System.clearProperty(Kernels.PROPERTY);
        } else {
            System.setProperty(Kernels.PROPERTY, before);
        }
    }

    @Test
    void prefersVectors() {
        System.clearProperty(Kernels.PROPERTY);
        assertTrue(Kernels.preferred().name().startsWith("vector x"));
    }

    @Test
    void thePropertyDecides() {
        System.setProperty(Kernels.PROPERTY, "scalar");
        assertEquals("scalar", Kernels.preferred().name());
        System.setProperty(Kernels.PROPERTY, "vector");
        assertTrue(Kernels.preferred().name().startsWith("vector x"));
        System.setProperty(Kernels.PROPERTY, "gpu");
        assertTrue(assertThrows(IllegalArgumentException.class, Kernels::preferred)
                .getMessage()
                .contains("gpu"));
    }

    @Test
    void aJvmWithoutTheModuleRunsOnTheScalarTwinAndSaysSoOnce() throws Exception {
        Finished child = run(List.of());
        assertEquals(0, child.status, child.output);
        assertTrue(child.output.contains("kernels scalar scalar"), child.output);
        assertEquals(2, child.output.split("jdk.incubator.vector", -1).length, "said once: " + child.output);
    }

    @Test
    void askingForVectorsWithoutTheModuleIsAnErrorWithTheFlagToGive() throws Exception {
        Finished child = run(List.of("-Dsluice.kernels=vector"));
        assertEquals(1, child.status, child.output);
        assertTrue(child.output.contains("--add-modules=jdk.incubator.vector"), child.output);
    }

    @Test
    void registersTooNarrowForTheKernelsAreNoReasonToDie() throws Exception {
        Finished child = run(List.of("--add-modules=jdk.incubator.vector", "-XX:MaxVectorSize=8"));
        assertEquals(0, child.status, child.output);
        assertTrue(child.output.contains("kernels scalar scalar"), child.output);
    }

    @Test
    void theWidthIsAPropertyToo() throws Exception {
        Finished child = run(List.of("--add-modules=jdk.incubator.vector", "-Dsluice.vector.bits=128"));
        assertTrue(child.output.contains("kernels vector x4"), child.output);
        child = run(List.of("--add-modules=jdk.incubator.vector", "-Dsluice.vector.bits=96"));
        assertTrue(child.output.contains("sluice.vector.bits must be 128, 256 or 512: 96"), child.output);
    }

    private record Finished(int status, String output) {}

    /** Asks twice for the preferred kernels, in a JVM with just these flags. */
    private static Finished run(List<String> flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
        command.add(KernelsTest.class.getName());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return new Finished(process.exitValue(), output);
    }

    public static void main(String[] args) {
        System.out.println("kernels " + Kernels.preferred().name() + " "
                + Kernels.preferred().name());
    }
}
