package io.sluice.perf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The command line of JVMs that this one starts. */
public final class JvmFlags {
    /** The flags of the file jvm.args. */
    private static final List<String> COMMON = List.of(
            "--add-modules=jdk.incubator.vector",
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=dontinline,io.sluice.filter.kernel.Vector*::*",
            "-XX:CompileCommand=inline,io.sluice.filter.kernel.Registers::*",
            "-XX:CompileCommand=inline,io.sluice.filter.kernel.LaneTables::*",
            "-XX:CompileCommand=CompileThresholdScaling,io.sluice.filter.kernel.Vector*::*,0.05");

    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w*GC");

    private JvmFlags() {}

    /**
     * The beginning of a command that runs another JVM: this JVM's Java, the flags of jvm.args, and those of {@code
     * SLUICE_JVM_OPTS}. The class path, the main class and its arguments follow.
     */
    public static List<String> node(long heapMb) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(COMMON);
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
