package io.sluice.peers;

import io.sluice.perf.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The Open MPI of this machine, and a program that broadcasts with it. The program is compiled into a folder that
 * {@link #close} removes.
 */
final class OpenMpi implements AutoCloseable {
    private static final String SOURCE = "mpi-broadcast.c";
    private static final String PARAMETER = "OMPI_MCA_";
    private static final int COMPILE_S = 60;

    private final Path folder;
    private final Path program;

    private OpenMpi(Path folder, Path program) {
        this.folder = folder;
        this.program = program;
    }

    /** A sentence on what has to be installed first; {@code null} if nothing is missing. */
    static String missing() {
        List<String> tools =
                Stream.of("mpirun", "mpicc").filter(tool -> find(tool) == null).toList();
        return tools.isEmpty()
                ? null
                : "Open MPI is skipped: no " + String.join(" and no ", tools)
                        + " here; on Debian, apt-get install openmpi-bin libopenmpi-dev gcc";
    }

    private static Path find(String tool) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /**
     * Compiles the program.
     *
     * @throws UnavailableException with the compiler's message, if it cannot be compiled
     * @throws InterruptedException if interrupted
     */
    static OpenMpi compile() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-mpi");
        Path source = folder.resolve(SOURCE);
        Path program = folder.resolve("mpi-broadcast");
        OpenMpi mpi = new OpenMpi(folder, program);
        try {
            try (InputStream text = Objects.requireNonNull(OpenMpi.class.getResourceAsStream(SOURCE))) {
                Files.copy(text, source);
            }
            Process compiler = new ProcessBuilder(
                            find("mpicc").toString(), "-O3", "-march=native", "-o", program.toString(), "" + source)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!compiler.waitFor(COMPILE_S, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
                throw new UnavailableException("mpicc cannot compile " + SOURCE + ": " + said.strip());
            }
            return mpi;
        } catch (IOException | InterruptedException | RuntimeException e) {
            mpi.close();
            throw e;
        }
    }

    /** The folder for files of a run; {@link #close} removes it. */
    Path folder() {
        return folder;
    }

    /**
     * The command that starts the program.
     *
     * @param servers number of ranks that broadcast
     * @param workers number of ranks that receive
     * @param bytes   of all servers together
     * @param trials  number of broadcasts
     * @param options of {@code mpirun}
     */
    List<String> command(int servers, int workers, long bytes, int trials, List<String> options) {
        List<String> words = new ArrayList<>(List.of(find("mpirun").toString()));
        words.addAll(options);
        words.addAll(List.of("-np", "" + (servers + workers), program.toString()));
        words.addAll(List.of("" + servers, "" + bytes, "" + trials));
        return words;
    }

    /**
     * Sets parameters of Open MPI for a process and its children. Where there are more ranks than cores, ranks yield
     * while they wait; otherwise none makes progress.
     */
    static void set(ProcessBuilder builder, Map<String, String> parameters) {
        Map<String, String> environment = builder.environment();
        environment.put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        environment.put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        environment.put(PARAMETER + "mpi_yield_when_idle", "1");
        environment.put(PARAMETER + "rmaps_base_oversubscribe", "1");
        environment.put(PARAMETER + "hwloc_base_binding_policy", "none");
        parameters.forEach((name, value) -> environment.put(PARAMETER + name, value));
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }
}
