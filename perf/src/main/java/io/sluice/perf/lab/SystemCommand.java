package io.sluice.perf.lab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the network tools {@code ip} and {@code tc}. */
final class SystemCommand {
    private static final int PATIENCE_S = 30;
    // The PATH of a root shell that is not a login shell often lacks these folders.
    private static final String SYSTEM_FOLDERS = ":/usr/sbin:/sbin";

    private SystemCommand() {}

    /**
     * Finds a tool.
     *
     * @throws UnavailableException if it is not installed
     */
    static String path(String tool) {
        String folders = System.getenv().getOrDefault("PATH", "") + SYSTEM_FOLDERS;
        return Stream.of(folders.split(":"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElseThrow(() -> new UnavailableException(
                        "the network lab needs the command " + tool + ", which is in the package iproute2"));
    }

    /**
     * Runs a tool to its end.
     *
     * @throws UnavailableException with its error message, if it failed
     */
    static String run(List<String> input, String... command) {
        List<String> words = new ArrayList<>(List.of(command));
        words.set(0, path(command[0]));
        String name = String.join(" ", command);
        try {
            Process process = new ProcessBuilder(words).start();
            try {
                return result(process, name, input);
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UnavailableException("the network lab cannot run '" + name + "': " + e.getMessage());
        }
    }

    /** Runs a tool that prints JSON. */
    static JsonNode json(String... command) {
        try {
            return new ObjectMapper().readTree(run(List.of(), command));
        } catch (JsonProcessingException e) {
            throw new UnavailableException(command[0] + " printed invalid JSON: " + e.getOriginalMessage());
        }
    }

    private static String result(Process process, String name, List<String> input) throws IOException {
        CompletableFuture<String> out = reading(process.getInputStream());
        CompletableFuture<String> errors = reading(process.getErrorStream());
        try (Writer writer = process.outputWriter()) {
            writer.write(String.join("\n", input));
            writer.write("\n");
        } catch (IOException endedBeforeItRead) {
            // The tool's own message is better.
        }
        // Waits even when interrupted: a late end is better than an incomplete network.
        if (process.onExit()
                        .completeOnTimeout(null, PATIENCE_S, TimeUnit.SECONDS)
                        .join()
                == null) {
            throw new UnavailableException("'" + name + "' has not ended within " + PATIENCE_S + " s");
        }
        if (process.exitValue() != 0) {
            throw new UnavailableException("'" + name + "' failed: " + firstLine(errors.join(), process.exitValue()));
        }
        return out.join();
    }

    private static CompletableFuture<String> reading(InputStream stream) {
        CompletableFuture<String> text = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (stream) {
                text.complete(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                text.complete("its output cannot be read: " + e.getMessage());
            }
        });
        return text;
    }

    private static String firstLine(String said, int code) {
        return said.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse("exit code " + code);
    }
}
