package io.sluice.messaging;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Hosts in network namespaces, where the machine permits; else the test is skipped. Closing removes them. */
final class Namespaces implements AutoCloseable {
    private final String prefix;
    private final List<String> made = new ArrayList<>();

    /** Hosts whose names begin with the prefix. */
    Namespaces(String prefix) {
        this.prefix = prefix + ProcessHandle.current().pid();
    }

    void add(String host) {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "a network of namespaces needs Linux");
        assumeTrue("root".equals(System.getProperty("user.name")), "a network of namespaces needs root");
        Subprocess.Result result = Subprocess.attempt(List.of("ip", "netns", "add", name(host)));
        assumeTrue(result.code() == 0, "no network namespace can be created here: " + result.said());
        made.add(name(host));
    }

    String name(String host) {
        return prefix + host;
    }

    /** The command that runs a JVM on a host; otherwise like {@link Subprocess#java}. */
    List<String> java(String host, Class<?> main, List<String> flags, String... arguments) {
        return Stream.concat(
                        Stream.of("ip", "netns", "exec", name(host)), Subprocess.java(main, flags, arguments).stream())
                .toList();
    }

    /** Runs a command that has to succeed; returns its output. */
    static String run(String... command) {
        return Subprocess.run(List.of(command));
    }

    @Override
    public void close() {
        made.forEach(name -> Subprocess.attempt(List.of("ip", "netns", "delete", name)));
    }
}
