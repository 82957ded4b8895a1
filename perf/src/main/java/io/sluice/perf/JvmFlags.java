package io.sluice.perf;

/**
 * The flags of jvm.args, for the JVMs that JMH forks: each benchmark appends them, so that it runs the same whatever
 * its parent was started with.
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

    private JvmFlags() {}
}
