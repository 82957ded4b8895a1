package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Commands that tests run, among them JVMs with the class path of this one. */
public final class Subprocess {
    private static final int MOST_SECONDS = 180;

    private Subprocess() {}

    /** The command of a JVM that runs the main method of a class with the flags and arguments. */
    public static List<String> java(Class<?> main, List<String> flags, String... arguments) {
        return Stream.of(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                                "--enable-native-access=ALL-UNNAMED"),
                        flags.stream(),
                        Stream.of("-cp", System.getProperty("java.class.path"), main.getName()),
                        Stream.of(arguments))
                .flatMap(words -> words)
                .toList();
    }

    /** The end of a command: its exit code, -1 if it could not start, and the output of both streams. */
    record Result(int code, String said) {}

    /** Runs a command to its end. It is killed after a minute. */
    static Result attempt(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            CompletableFuture.delayedExecutor(MOST_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.onExit().join().exitValue(), said.strip());
        } catch (IOException e) {
            return new Result(-1, e.getMessage());
        }
    }

    /** Runs a command that has to succeed; returns its output. */
    public static String run(List<String> command) {
        Result result = attempt(command);
        assertEquals(0, result.code, () -> String.join(" ", command) + ": " + result.said);
        return result.said;
    }
}
