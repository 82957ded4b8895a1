package io.sluice.perf;

import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;

/** A C source among the resources, compiled by this machine's compiler into a folder that {@link #close} removes. */
public final class CompiledC implements AutoCloseable {
    private static final int COMPILE_S = 60;

    private final Path folder;
    private final Path output;

    private CompiledC(Path folder, Path output) {
        this.folder = folder;
        this.output = output;
    }

    /**
     * Compiles a source with {@code -O3} and further options.
     *
     * @throws UnavailableException if there is no such compiler, or it cannot compile the source within a minute
     */
    public static CompiledC compile(Class<?> owner, String source, String compiler, String... options)
            throws IOException {
        Path folder = Files.createTempDirectory("sluice-c");
        CompiledC compiled = new CompiledC(folder, folder.resolve("compiled"));
        try {
            Path text = folder.resolve(source);
            try (InputStream resource = Objects.requireNonNull(owner.getResourceAsStream(source))) {
                Files.copy(resource, text);
            }
            List<String> command = new ArrayList<>(List.of(compiler, "-O3"));
            command.addAll(List.of(options));
            command.addAll(List.of("-o", compiled.output.toString(), text.toString()));
            run(source, command, folder.resolve("messages"));
            return compiled;
        } catch (IOException | RuntimeException e) {
            compiled.close();
            throw e;
        }
    }

    /** The compiler's messages go to a file, so that it never waits for a reader. */
    private static void run(String source, List<String> command, Path messages) throws IOException {
        String compiler = command.getFirst();
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(messages.toFile())
                    .start();
        } catch (IOException e) {
            throw new UnavailableException(source + " needs the C compiler " + compiler + ": " + e.getMessage());
        }
        try {
            if (!process.waitFor(COMPILE_S, TimeUnit.SECONDS)) {
                throw new UnavailableException(
                        compiler + " did not compile " + source + " within " + COMPILE_S + " seconds");
            }
            if (process.exitValue() != 0) {
                throw new UnavailableException(compiler + " cannot compile " + source + ": "
                        + Files.readString(messages).strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted while " + compiler + " compiled " + source);
        } finally {
            process.destroyForcibly();
        }
    }

    /** The program or library. */
    public Path output() {
        return output;
    }

    /** The folder, for more files; {@link #close} removes it with all it contains. */
    public Path folder() {
        return folder;
    }

    @Override
    public void close() {
        IoUtil.delete(folder.toFile(), false);
    }
}
