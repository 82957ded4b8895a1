package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.UnavailableException;
import io.sluice.perf.nodes.SluiceProgram;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The job in one process and one thread, without Sluice. With {@code --max-workers} no two jobs are alike, but the
 * replicas of each must equal those of a single process that uses the same worker sets.
 */
final class OneProcess {
    private static final long PATIENCE_S = 600;

    private final SluiceProgram program;
    private final Terms terms;
    private final Path folder;

    /** Prepares the process, which writes its report and messages to a folder. */
    OneProcess(SluiceProgram program, Terms terms, Path folder) {
        this.program = program;
        this.terms = terms;
        this.folder = folder;
    }

    /** The hash that all replicas of a job with these worker sets must have ({@link Places#workerSets()}). */
    String hash(String workerSets) throws IOException, InterruptedException {
        Path report = folder.resolve("one-process.json");
        Path words = folder.resolve("one-process.words");
        Process process = new ProcessBuilder(program.command(terms.inOneProcess(workerSets, report)))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(words.toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                String ending = process.isAlive() ? "did not end within " + PATIENCE_S + " s" : "failed";
                throw new UnavailableException("the reference process with --history " + workerSets + " " + ending
                        + ": " + Files.readString(words).strip());
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
