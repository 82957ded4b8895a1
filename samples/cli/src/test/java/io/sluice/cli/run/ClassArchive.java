package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;

/**
 * An archive of the classes that a job loads. A JVM that maps it starts faster, and tests start hundreds. A JVM
 * archives classes of jars only, so the folders of the class path are packed into jars first. Immutable.
 */
final class ClassArchive {
    /** Relative, as the path of the checkout may have blanks, at which {@code SLUICE_JVM_OPTS} is split. */
    private static final Path FOLDER = Path.of("target", "class-archive");

    private static final int PATIENCE_S = 120;

    private final String classPath;
    private final Path file = FOLDER.resolve("cli.jsa");

    /** Creates the jars, and runs a small job that writes the archive at its end. */
    ClassArchive(List<String> jvmOptions) {
        try {
            Files.createDirectories(FOLDER);
            classPath = jars();
            dump(jvmOptions);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String jars() {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (Files.isDirectory(Path.of(entry))) {
                String jar = FOLDER.resolve(jars.size() + ".jar").toString();
                ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
                assertEquals(0, tool.run(System.out, System.err, "--create", "--file", jar, "-C", entry, "."), entry);
                jars.add(jar);
            } else if (Files.exists(Path.of(entry))) {
                jars.add(entry);
            }
        }
        return String.join(File.pathSeparator, jars);
    }

    private void dump(List<String> jvmOptions) throws IOException {
        Files.deleteIfExists(file);
        List<String> command = new ArrayList<>(Cli.java(jvmOptions));
        command.addAll(List.of("-XX:ArchiveClassesAtExit=" + file, "-cp", classPath, "io.sluice.cli.Sluice"));
        command.addAll(List.of("train", "lr", "--workers", "1", "--servers", "1", "--features", "1024"));
        command.addAll(List.of("--clocks", "2"));
        Path output = FOLDER.resolve("output.txt");
        Process job = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(job.waitFor(PATIENCE_S, TimeUnit.SECONDS), () -> "still running: " + command);
            assertEquals(0, job.exitValue(), Files.readString(output));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            job.destroyForcibly();
        }
    }

    /** The class path of the archive. */
    String classPath() {
        return classPath;
    }

    /** Options to use it, without the warning that the JDK's own archive was made with other flags. */
    String[] jvmOptions() {
        return new String[] {"-XX:SharedArchiveFile=" + file, "-Xlog:cds=off"};
    }
}
