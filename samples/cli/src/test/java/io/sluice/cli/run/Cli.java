package io.sluice.cli.run;

import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Starts the command line in a JVM of its own, as the launcher does: the flags of {@code jvm.args}, {@code
 * SLUICE_JVM_OPTS}. Jobs of a test last seconds, in which the JVM's second compiler costs more than it gives: they do
 * without it, and without vectors, which are slow then, and with as few counters as the tests' own drivers have, but
 * for those started {@link #asLaunched}. Immutable.
 */
final class Cli {
    private static final List<String> FOR_SHORT_JOBS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-Dsluice.kernels=scalar",
            "-Daeron.counters.buffer.length=1048576",
            "-Dsluice.udp.batch=" + new Driver.Context().udpBatch().text()); // as this JVM has it

    private final List<String> prefix;
    private final List<String> jvmOptions;
    private final List<String> classPathFirst;

    private Cli(List<String> prefix, List<String> jvmOptions, List<String> classPathFirst) {
        this.prefix = prefix;
        this.jvmOptions = jvmOptions;
        this.classPathFirst = classPathFirst;
    }

    /** As the launcher, for a short job. */
    static Cli plain() {
        return new Cli(List.of(), FOR_SHORT_JOBS, List.of());
    }

    /** As the launcher. */
    static Cli asLaunched() {
        return new Cli(List.of(), List.of(), List.of());
    }

    /** Through another command, for instance one that changes the network namespace. */
    Cli through(String... command) {
        return new Cli(List.of(command), jvmOptions, classPathFirst);
    }

    /** With these in {@code SLUICE_JVM_OPTS}, too. */
    Cli withJvmOptions(String... options) {
        List<String> all = new ArrayList<>(jvmOptions);
        all.addAll(List.of(options));
        return new Cli(prefix, List.copyOf(all), classPathFirst);
    }

    /** With classes that replace some of the library's. */
    Cli withClassesFrom(Path folder) {
        return new Cli(prefix, jvmOptions, List.of(folder.toString()));
    }

    /** Starts a command. */
    CliRun start(Object... arguments) {
        List<String> words = Arrays.stream(arguments).map(String::valueOf).toList();
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + home().resolve("jvm.args"));
        command.addAll(jvmOptions);
        List<String> classPath = new ArrayList<>(classPathFirst);
        classPath.add(System.getProperty("java.class.path"));
        command.addAll(List.of("-cp", String.join(System.getProperty("path.separator"), classPath)));
        command.add("io.sluice.cli.Sluice");
        command.addAll(words);
        return run(
                "sluice " + String.join(" ", words), command, Map.of("SLUICE_JVM_OPTS", String.join(" ", jvmOptions)));
    }

    /** Runs any command line in the same way. */
    static CliRun run(String name, List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        try {
            return new CliRun(name, builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder of the checkout. */
    static Path home() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("jvm.args"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException(
                        "no jvm.args above " + Path.of("").toAbsolutePath());
            }
        }
        return folder;
    }
}
