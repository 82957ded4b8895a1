package io.sluice.perf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The flags of jvm.args, for the JVMs that JMH forks: each benchmark appends them, so that it runs the same whatever
 * its parent was started with. Also for nodes in JVMs of their own.
 */
public final class JvmFlags {
    /** No kernel is inlined into its caller, as {@code jvm.args} has it; the compiler says nothing of it. */
    public static final String KERNELS = "-XX:CompileCommand=dontinline,io.sluice.filter.kernel.Vector*::*";

    /** Keeps what {@link #KERNELS} asks for off the output. */
    public static final String QUIET = "-XX:CompileCommand=quiet";

    /** For the vector kernels. */
    public static final String VECTOR = "--add-modules=jdk.incubator.vector";

    /** For Agrona's buffers. */
    public static final String MEMORY = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";

    /** For segments over all of memory, and for native compressors. */
    public static final String NATIVE = "--enable-native-access=ALL-UNNAMED";

    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w*GC");

    private JvmFlags() {}

    /**
     * The beginning of a command that runs a node in a JVM of its own: this one's Java, the flags of jvm.args, and
     * what {@code SLUICE_JVM_OPTS} adds. To be followed by the class path, the main class and its arguments.
     *
     * @param heapMb its heap at most
     * @return words of the command; the caller may add to them
     */
    public static List<String> node(int heapMb) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(VECTOR, MEMORY, NATIVE, QUIET, KERNELS));
        String added = System.getenv().getOrDefault("SLUICE_JVM_OPTS", "").strip();
        if (!added.isEmpty()) {
            command.addAll(List.of(added.split("\\s+")));
        }
        if (!COLLECTOR.matcher(added).find()) {
            command.add("-XX:+UseSerialGC"); // several JVMs share the cores
        }
        command.add("-Xmx" + heapMb + "m");
        return command;
    }
}
