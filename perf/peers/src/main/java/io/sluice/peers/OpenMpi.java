package io.sluice.peers;

import io.sluice.console.UnavailableException;
import io.sluice.perf.CompiledC;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The Open MPI of this machine, and a program that broadcasts with it. {@link #close} removes the program.
 */
final class OpenMpi implements AutoCloseable {
    private static final String PARAMETER = "OMPI_MCA_";

    private final CompiledC program;

    private OpenMpi(CompiledC program) {
        this.program = program;
    }

    /** A sentence about the software that has to be installed first; {@code null} if nothing is missing. */
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
     */
    static OpenMpi compile() throws IOException {
        return new OpenMpi(CompiledC.compile(
                OpenMpi.class, "mpi-broadcast.c", find("mpicc").toString(), "-march=native"));
    }

    /** The folder for files of a run; {@link #close} removes it. */
    Path folder() {
        return program.folder();
    }

    /**
     * The command that starts the program.
     *
     * @param servers number of ranks that broadcast
     * @param workers number of ranks that receive
     * @param bytes   bytes of all servers together
     * @param trials  number of broadcasts
     * @param options options of {@code mpirun}
     */
    List<String> command(int servers, int workers, long bytes, int trials, List<String> options) {
        List<String> words = new ArrayList<>(List.of(find("mpirun").toString()));
        words.addAll(options);
        words.addAll(List.of("-np", "" + (servers + workers), "" + program.output()));
        words.addAll(List.of("" + servers, "" + bytes, "" + trials));
        return words;
    }

    /**
     * Sets parameters of Open MPI for a process and its children. If there are more ranks than cores, ranks yield
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
        program.close();
    }
}
