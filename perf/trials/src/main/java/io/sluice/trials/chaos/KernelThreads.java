package io.sluice.trials.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The threads of a process as Linux reports them, even for a JVM that no longer responds. */
final class KernelThreads {
    private static final Path PROCESSES = Path.of("/proc");

    /** Columns after the name, which may contain blanks; numbered as in proc(5). */
    private static final int STATE = 0;

    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;

    private KernelThreads() {}

    /**
     * Lists the threads.
     *
     * @param pid process id of the process
     * @return name, state letter, kernel wait channel and CPU ticks of each thread; empty if the process has ended
     */
    static List<String> of(long pid) {
        List<String> threads = new ArrayList<>();
        try (Stream<Path> tasks =
                Files.list(PROCESSES.resolve(Long.toString(pid)).resolve("task"))) {
            for (Path task : tasks.toList()) {
                threads.add(inWords(task));
            }
        } catch (IOException | UncheckedIOException e) {
            return threads; // the process has just ended
        }
        return threads;
    }

    private static String inWords(Path task) {
        try {
            return read(task);
        } catch (IOException e) {
            return task.getFileName() + " has ended";
        }
    }

    private static String read(Path task) throws IOException {
        String stat = Files.readString(task.resolve("stat"));
        int nameEnd = stat.lastIndexOf(')');
        String[] columns = stat.substring(nameEnd + 1).strip().split(" ");
        String place = Files.readString(task.resolve("wchan")).strip();
        return "%s: %s at %s, ticks %s + %s"
                .formatted(
                        stat.substring(stat.indexOf('(') + 1, nameEnd),
                        columns[STATE],
                        place,
                        columns[USER_TICKS],
                        columns[SYSTEM_TICKS]);
    }
}
