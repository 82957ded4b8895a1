package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.perf.UnavailableException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The job in one process and one thread, without Sluice: where workers come and go, no two jobs are the same, but each
 * must come to what a single process comes to that takes what they took.
 */
final class OneProcess {
    private static final long PATIENCE_S = 600;

    private final SluiceProgram program;
    private final Terms terms;
    private final Path folder;

    /** With a folder for what it says. */
    OneProcess(SluiceProgram program, Terms terms, Path folder) {
        this.program = program;
        this.terms = terms;
        this.folder = folder;
    }

    /** The hash that all replicas must have of a job with such crews, as {@link Places#crews()} has them. */
    String hash(String crews) throws IOException, InterruptedException {
        Path report = folder.resolve("one-process.json");
        Path words = folder.resolve("one-process.words");
        Process process = new ProcessBuilder(program.command(terms.inOneProcess(crews, report)))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(words.toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                String ending = process.isAlive() ? "had not ended after " + PATIENCE_S + " s" : "failed";
                throw new UnavailableException("the same job in one process, with crews " + crews + ", " + ending + ": "
                        + Files.readString(words).strip());
            }
            return new ObjectMapper()
                    .readTree(report.toFile())
                    .get("replica_hash")
                    .asText();
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(report);
            Files.deleteIfExists(words);
        }
    }
}
