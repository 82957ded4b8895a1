package io.sluice.cli.data;

import io.sluice.console.UnavailableException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The programs of this machine.
 *
 * @param folders folders to search for them, in this order
 */
record Programs(List<Path> folders) {
    /** A program has failed. */
    static final class FailedException extends Exception {
        private static final long serialVersionUID = 1L;

        FailedException(String message) {
            super(message);
        }
    }

    /** The programs in the folders of the environment variable {@code PATH}. */
    static Programs onPath() {
        String path = System.getenv().getOrDefault("PATH", "");
        return new Programs(Arrays.stream(path.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of)
                .toList());
    }

    /**
     * Requires a program.
     *
     * @param name name of the program
     * @param origin the package that contains it
     * @throws UnavailableException if there is none of this name
     */
    void require(String name, String origin) {
        if (find(name) == null) {
            throw new UnavailableException("there is no " + name + " on PATH, which obtains this data set: install the"
                    + " package " + origin);
        }
    }

    private Path find(String name) {
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /**
     * Runs a program to its end.
     *
     * @param folder working folder of the program
     * @param name name of the program
     * @param arguments arguments of the program
     * @throws FailedException if it ends with a code other than 0; with the last line of its output
     */
    void run(Path folder, String name, String... arguments) throws IOException, InterruptedException, FailedException {
        List<String> command = new ArrayList<>(List.of(find(name).toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("sluice-" + name, ".log");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().put("LC_ALL", "C");
            Process process = builder.start();
            try {
                int code = process.waitFor();
                if (code != 0) {
                    throw new FailedException(name + " ended with code " + code + ": " + lastError(output));
                }
            } finally {
                process.destroy();
            }
        } finally {
            Files.delete(output);
        }
    }

    /** The line with the reason: the last line that is marked as an error, or otherwise the last line. */
    private static String lastError(Path output) throws IOException {
        List<String> lines = new String(Files.readAllBytes(output), StandardCharsets.ISO_8859_1)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        return lines.stream()
                .filter(line -> line.startsWith("E: ") || line.startsWith("npm ERR!") || line.startsWith("npm error"))
                .findFirst()
                .orElse(lines.isEmpty() ? "no output" : lines.getLast());
    }
}
