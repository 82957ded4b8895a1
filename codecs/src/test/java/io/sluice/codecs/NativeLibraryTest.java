package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.MissingLibraryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs in JVMs of its own, because a library, once loaded, stays loaded. */
class NativeLibraryTest {
    @TempDir
    private Path empty;

    /** Runs in the child: prints the message of a compressor that cannot be created. */
    static final class Probe {
        static final String KILLED = "killed";

        private Probe() {}

        public static void main(String[] names) {
            for (String name : names) {
                if (KILLED.equals(name)) {
                    System.out.flush();
                    Runtime.getRuntime().halt(0);
                }
                try {
                    System.out.println(
                            name + ": " + BlockCompressors.named(name).name());
                } catch (MissingLibraryException e) {
                    System.out.println(name + ": " + e.getMessage());
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"zstd, ZstdNativePath", "snappy, org.xerial.snappy.use.systemlib"})
    void aMissingOneIsNamedWithThePlatform(String name, String property) throws IOException, InterruptedException {
        String value = "zstd".equals(name) ? empty.resolve("missing.so").toString() : "true";
        String said = run("-D" + property + "=" + value, name, name).replace(System.lineSeparator(), "\n");

        String platform = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        String expected = name + ": compressor " + name + " has no native library that can be loaded for " + platform;
        String[] lines = said.split("\n");
        assertEquals(2, lines.length, said);
        assertTrue(lines[0].startsWith(expected), said);
        assertTrue(lines[1].startsWith(expected), "asked again: " + said);
    }

    @Test
    void othersDoNotNeedIt() throws IOException, InterruptedException {
        String said = run("-DZstdNativePath=" + empty.resolve("missing.so"), "none", "lz4", "snappy");
        assertEquals("none: none\nlz4: lz4\nsnappy: snappy", said.strip().replace(System.lineSeparator(), "\n"));
    }

    /** Killed JVMs remove nothing at their end, so there must be nothing to remove. */
    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere a loaded library cannot be deleted")
    void nothingIsLeftInTheTemporaryDirectory() throws IOException, InterruptedException {
        String said = run("-Djava.io.tmpdir=" + empty, "lz4", "snappy", "zstd", "lz4", Probe.KILLED);
        assertEquals("lz4: lz4\nsnappy: snappy\nzstd: zstd\nlz4: lz4", said.strip());
        try (Stream<Path> left = Files.list(empty)) {
            assertEquals(List.of(), left.toList());
        }
    }

    private String run(String property, String... names) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.library.path=" + empty,
                property,
                "-cp",
                System.getProperty("java.class.path"),
                Probe.class.getName());
        builder.command().addAll(List.of(names));
        Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            String said = new String(process.getInputStream().readAllBytes());
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), said);
            return said;
        } finally {
            process.destroyForcibly();
        }
    }
}
