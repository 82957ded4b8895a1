package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * The class path in jars, and an archive of the classes that a job loads from them: a JVM that maps the archive starts
 * in two thirds of the processor time, and tests start hundreds. Archives do without folders, so the test makes jars
 * of those of the build. Immutable.
 */
final class ClassArchive {
    private static final Path FOLDER = Path.of("target", "class-archive").toAbsolutePath();

    private final String classPath;
    private final Path file = FOLDER.resolve("cli.jsa");

    /** Makes the jars, and runs a small job that writes the archive at its end. */
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
        Path said = FOLDER.resolve("said");
        try {
            int code = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start()
                    .waitFor();
            assertEquals(0, code, Files.readString(said));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** The class path of the archive. */
    String classPath() {
        return classPath;
    }

    /** Have a JVM use it, without a word that other flags than those of the JDK's own archive slow the start. */
    String[] jvmOptions() {
        return new String[] {"-XX:SharedArchiveFile=" + file, "-Xlog:cds=off"};
    }
}
