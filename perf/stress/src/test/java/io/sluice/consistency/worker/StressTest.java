package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the tests of jcstress in a process of their own, which starts others. */
class StressTest {
    private static final List<Class<?>> TESTS =
            List.of(RowTearing.class, LostIncrements.class, OwnWritesInTransit.class);

    private static final Pattern RESULTS =
            Pattern.compile("Results: ([1-9]\\d*) planned; (\\d+) passed, 0 failed, 0 soft errs, 0 hard errs");

    @TempDir
    private Path folder;

    @Test
    @Tag("slow")
    @Timeout(400)
    void noOutcomeIsForbidden() throws IOException, InterruptedException {
        requireFine("-m", "sanity", "-time", "100", "-iters", "1");
    }

    @Test
    @Tag("trial")
    @Timeout(6_000)
    void noOutcomeIsForbiddenInManyMoreRuns() throws IOException, InterruptedException {
        requireFine("-m", "default");
    }

    private void requireFine(String... mode) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main"));
        command.addAll(List.of(mode));
        command.addAll(List.of("-v", "-t", getClass().getPackageName(), "-r", folder.toString()));
        Path output = folder.resolve("output.txt");
        int code = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        String said = Files.readString(output);
        assertEquals(0, code, said);
        for (Class<?> test : TESTS) {
            assertTrue(said.contains(test.getSimpleName()), said);
        }
        MatchResult last =
                RESULTS.matcher(said).results().reduce((_, later) -> later).orElseThrow();
        assertEquals(last.group(1), last.group(2), said);
    }
}
