package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Runs hostile frames in a process of their own, where the memory after each frame is not readable. {@code
 * -Dsluice.fuzz.seconds} sets for how long it generates frames, {@code -Dsluice.fuzz.seed} the first seed, and {@code
 * -Dsluice.fuzz.input} a file with a frame to check again.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "guarded memory needs Linux")
public abstract class FrameFuzzContract {
    private static final Path DIRECTORY = Path.of("target", "fuzz");
    private static final long SEED = Long.getLong("sluice.fuzz.seed", System.currentTimeMillis() << 20);
    private static final String INPUT = System.getProperty("sluice.fuzz.input");

    private final Class<?> fuzzer;
    private final long seconds;

    /**
     * Sets the fuzzer.
     *
     * @param fuzzer fuzzer with a main method like that of {@link FrameFuzzer}
     * @param seconds seconds for which it generates frames unless a property is set
     */
    protected FrameFuzzContract(Class<?> fuzzer, int seconds) {
        this.fuzzer = fuzzer;
        this.seconds = Long.getLong("sluice.fuzz.seconds", seconds);
    }

    @Test
    public void hostileFramesAreNotReadBeyondTheirEnd() throws IOException, InterruptedException {
        assertSound(run("all"));
    }

    @Test
    public void aReadBeyondTheEndWouldBeNoticed() throws IOException, InterruptedException {
        Outcome outcome = run("overread");

        assertNotEquals(0, outcome.exitCode());
        assertFalse(outcome.output().contains("not noticed"), outcome.output());
    }

    @Test
    @Tag("slow")
    public void madeUpFramesAreJudged() throws IOException, InterruptedException {
        Outcome outcome = run("fuzz", DIRECTORY.toString(), String.valueOf(seconds), String.valueOf(SEED));
        System.out.print(outcome.output());
        if (outcome.exitCode() != 0) {
            Path failing = DIRECTORY.resolve("failed-" + SEED + ".bin");
            Files.write(failing, FrameFuzzer.lastFrame(DIRECTORY));
            throw new AssertionError("seed " + SEED + ", exit code " + outcome.exitCode()
                    + "; check the frame again with -Dsluice.fuzz.input=" + failing.toAbsolutePath() + "\n"
                    + outcome.output());
        }
    }

    @Test
    public void theFrameInTheGivenFileIsJudged() throws IOException, InterruptedException {
        Assumptions.assumeTrue(INPUT != null, "no -Dsluice.fuzz.input");
        assertSound(run("replay", INPUT));
    }

    private record Outcome(int exitCode, String output) {}

    private static void assertSound(Outcome outcome) {
        assertEquals(0, outcome.exitCode(), outcome::output);
    }

    private Outcome run(String... arguments) throws IOException, InterruptedException {
        Files.createDirectories(DIRECTORY);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + DIRECTORY.resolve("hs_err_%p.log"),
                "-cp",
                System.getProperty("java.class.path")));
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("sluice."))
                .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.add(fuzzer.getName());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }
}
