package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Commands that only root may run. */
final class Root {
    private Root() {}

    /** Skips the test, with the reason, where one of the tools is missing or the user is not root. */
    static void assume(String what, String... tools) {
        assumeTrue(System.getProperty("os.name").equals("Linux"), what + " needs Linux");
        assumeTrue("root".equals(System.getProperty("user.name")), what + " needs root");
        for (String tool : tools) {
            boolean found = Stream.of(System.getenv("PATH").split(":"))
                    .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
            assumeTrue(found, what + " needs the command " + tool);
        }
    }

    /** Runs a command; fails with its output if it fails. */
    static void run(String... command) {
        Result result = attempt(command);
        assertEquals(0, result.code(), () -> String.join(" ", command) + ": " + result.said());
    }

    /** How a command ended. */
    record Result(int code, String said) {}

    /** Runs a command that may fail. */
    static Result attempt(String... command) {
        try {
            Process process = new ProcessBuilder(List.of(command))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", command) + " does not end");
            }
            return new Result(process.exitValue(), said.strip());
        } catch (IOException e) {
            throw new AssertionError(String.join(" ", command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
