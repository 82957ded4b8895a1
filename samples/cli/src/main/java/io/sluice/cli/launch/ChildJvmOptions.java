package io.sluice.cli.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Selects the flags of this JVM for its children: all, from any source, except those that only one process can use.
 * With the same port a child does not start, and with the same file each process overwrites the output of another.
 *
 * <p>Children get no agents, because the meaning of their arguments is unknown. They get a flag that names a file if
 * the name has the process id in it, {@code %p}, which the JVM fills in.
 */
final class ChildJvmOptions {
    private static final String PROCESS_ID = "%p";

    /** Flags of debuggers, profilers and other agents, in all their forms, and of the ports of JMX. */
    private static final Pattern ONE_PROCESS =
            Pattern.compile("-agentlib:.*|-agentpath:.*|-javaagent:.*|-Xrun.*|-Xdebug|-Dcom\\.sun\\.management.*");

    /**
     * Flag of the path of a heap dump: the JVM does not replace {@code %p} in it; without the flag, its name has the
     * process id.
     */
    private static final Pattern HEAP_DUMP = Pattern.compile("-XX:HeapDumpPath=.*");

    private static final Pattern FILE = Pattern.compile("-Xloggc:.*"
            + "|-XX:(ErrorFile|LogFile|ReplayDataFile|PerfDataSaveFile|DumpLoadedClassList|ArchiveClassesAtExit"
            + "|AOTCacheOutput|AOTConfiguration)=.*"
            + "|-XX:StartFlightRecording[:=].*filename=.*");

    /**
     * Flags of log files, {@code -Xlog:what:output:decorators:options}: an output that is not a stream of the process
     * is a file.
     */
    private static final Pattern LOG_FILE = Pattern.compile("-Xlog:[^:]*:(?!stdout|stderr|:|$).*");

    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w*GC");

    private ChildJvmOptions() {}

    /**
     * The flags of a child.
     *
     * @param own flags of this JVM
     * @return flags that suit a child, and a collector if none is chosen
     */
    static List<String> of(List<String> own) {
        List<String> options = new ArrayList<>(own);
        options.removeIf(ChildJvmOptions::isForOneProcess);
        if (options.stream().noneMatch(option -> COLLECTOR.matcher(option).matches())) {
            options.add("-XX:+UseSerialGC"); // several JVMs share the cores, and the steady state leaves no garbage
        }
        return options;
    }

    private static boolean isForOneProcess(String option) {
        if (ONE_PROCESS.matcher(option).matches() || HEAP_DUMP.matcher(option).matches()) {
            return true;
        }
        boolean namesFile =
                FILE.matcher(option).matches() || LOG_FILE.matcher(option).matches();
        return namesFile && !option.contains(PROCESS_ID);
    }
}
