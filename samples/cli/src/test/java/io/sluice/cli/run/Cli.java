package io.sluice.cli.run;

import io.sluice.messaging.driver.Driver;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Starts the command line in a JVM of its own, as the launcher does: the flags of {@code jvm.args}, {@code
 * SLUICE_JVM_OPTS}. Jobs of a test last seconds, in which the JVM's second compiler costs more than it gives. So they
 * run without that compiler, without vectors, which need it, and with a {@link ClassArchive}; those started {@link
 * #asLaunched} do not. Properties with which the build starts this JVM are passed on. Immutable.
 */
final class Cli {
    private static final List<String> FOR_SHORT_JOBS = Stream.concat(
                    Stream.of(
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Dsluice.kernels=scalar",
                            "-Dsluice.driver.client.liveness=10s",
                            "-Dsluice.udp.batch="
                                    + new Driver.Context().udpBatch().text()), // as this JVM has it
                    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                            .filter(option -> option.startsWith("-D")))
            .toList();

    private final List<String> prefix;
    private final List<String> jvmOptions;
    private final String classPath;

    private Cli(List<String> prefix, List<String> jvmOptions, String classPath) {
        this.prefix = prefix;
        this.jvmOptions = jvmOptions;
        this.classPath = classPath;
    }

    /** Made by the first test that starts a JVM. */
    private static final class Archived {
        private static final ClassArchive ARCHIVE = new ClassArchive(FOR_SHORT_JOBS);
        private static final Cli PLAIN =
                new Cli(List.of(), FOR_SHORT_JOBS, ARCHIVE.classPath()).withJvmOptions(ARCHIVE.jvmOptions());
    }

    /** The command as the launcher starts it, for a short job. */
    static Cli plain() {
        return Archived.PLAIN;
    }

    /** The command as the launcher starts it. */
    static Cli asLaunched() {
        return new Cli(List.of(), List.of(), System.getProperty("java.class.path"));
    }

    /** This command, run through another one, for instance one that changes the network namespace. */
    Cli through(String... command) {
        return new Cli(List.of(command), jvmOptions, classPath);
    }

    /** This command, with these options added to {@code SLUICE_JVM_OPTS}. */
    Cli withJvmOptions(String... options) {
        List<String> all = new ArrayList<>(jvmOptions);
        all.addAll(List.of(options));
        return new Cli(prefix, List.copyOf(all), classPath);
    }

    /** With classes that replace some of the library's. A JVM ignores an archive of another class path. */
    Cli withClassesFrom(Path folder) {
        return new Cli(prefix, jvmOptions, folder + File.pathSeparator + classPath);
    }

    /** Starts a command. */
    CliRun start(Object... arguments) {
        List<String> words = Arrays.stream(arguments).map(String::valueOf).toList();
        List<String> command = new ArrayList<>(prefix);
        command.addAll(java(jvmOptions));
        command.addAll(List.of("-cp", classPath, "io.sluice.cli.Sluice"));
        command.addAll(words);
        return run(
                "sluice " + String.join(" ", words), command, Map.of("SLUICE_JVM_OPTS", String.join(" ", jvmOptions)));
    }

    /** A JVM with the flags of {@code jvm.args} and these. */
    static List<String> java(List<String> jvmOptions) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + home().resolve("jvm.args"));
        command.addAll(jvmOptions);
        return command;
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
