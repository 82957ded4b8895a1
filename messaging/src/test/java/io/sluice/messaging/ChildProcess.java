package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A driver, or an inbox at a running driver, in a JVM of its own, which a test may kill. */
final class ChildProcess implements AutoCloseable {
    private static final String READY = "ready";

    private final Process process;

    private ChildProcess(String... arguments) throws IOException {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "--add-modules=jdk.incubator.vector",
                                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ChildProcess.class.getName()),
                        Stream.of(arguments))
                .toList();
        process = new ProcessBuilder(command).start();
        assertEquals(READY, process.inputReader(StandardCharsets.UTF_8).readLine());
    }

    /** Runs a driver in the directory. */
    static ChildProcess driver(Path directory) throws IOException {
        return new ChildProcess(directory.toString());
    }

    /** Receives on the endpoint through the driver in the directory. */
    static ChildProcess inbox(Path directory, Endpoint endpoint) throws IOException {
        return new ChildProcess(directory.toString(), endpoint.toString());
    }

    long pid() {
        return process.pid();
    }

    /** As {@code kill -9} does; returns when the process is gone. */
    void kill() {
        process.destroyForcibly();
        process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
    }

    public static void main(String[] args) {
        Path directory = Path.of(args[0]);
        if (args.length == 1) {
            Driver.launch(new Driver.Context().directory(directory));
        } else {
            Transport.connect(new Transport.Context().directory(directory).channels(new Channels(Rig.shortTerms())))
                    .openUdpInbox(
                            "child",
                            Endpoint.parse(args[1]),
                            Rig.STREAM,
                            Frames.validator(),
                            (buffer, offset, length, template, session) -> FrameHandler.Action.CONTINUE);
        }
        System.out.println(READY);
        while (true) {
            LockSupport.park();
        }
    }
}
