package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Hosts in network namespaces, where the machine permits; else the test is skipped. Closing removes them. */
final class Namespaces implements AutoCloseable {
    private final String prefix;
    private final List<String> made = new ArrayList<>();

    /** With names that begin so. */
    Namespaces(String prefix) {
        this.prefix = prefix + ProcessHandle.current().pid();
    }

    void add(String host) {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "a network of namespaces needs Linux");
        assumeTrue("root".equals(System.getProperty("user.name")), "a network of namespaces needs root");
        Result result = attempt("ip", "netns", "add", name(host));
        assumeTrue(result.code == 0, "no network namespace can be made here: " + result.said);
        made.add(name(host));
    }

    String name(String host) {
        return prefix + host;
    }

    /** A JVM on a host that runs the main method of a class with the flags and arguments. */
    List<String> java(String host, Class<?> main, List<String> flags, String... arguments) {
        return Stream.of(
                        Stream.of("ip", "netns", "exec", name(host)),
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

    /** Runs a command that has to succeed; returns what it said. */
    static String run(String... command) {
        Result result = attempt(command);
        assertEquals(0, result.code, () -> String.join(" ", command) + ": " + result.said);
        return result.said;
    }

    static String run(List<String> command) {
        return run(command.toArray(String[]::new));
    }

    private record Result(int code, String said) {}

    private static Result attempt(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            return new Result(process.exitValue(), said.strip());
        } catch (IOException e) {
            return new Result(-1, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        made.forEach(name -> attempt("ip", "netns", "delete", name));
    }
}
