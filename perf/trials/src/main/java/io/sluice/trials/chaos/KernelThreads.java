package io.sluice.trials.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The threads of a process as Linux sees them: also of a JVM that answers nobody any more. */
final class KernelThreads {
    private static final Path PROCESSES = Path.of("/proc");

    /** Columns behind the name, which may hold blanks, as proc(5) counts them. */
    private static final int STATE = 0;

    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;

    private KernelThreads() {}

    /**
     * Lists them.
     *
     * @param pid of the process
     * @return of each its name, its state as a letter, where in the kernel it waits, and how much time it has used;
     *     none if the process is over
     */
    static List<String> of(long pid) {
        List<String> threads = new ArrayList<>();
        try (Stream<Path> tasks =
                Files.list(PROCESSES.resolve(Long.toString(pid)).resolve("task"))) {
            for (Path task : tasks.toList()) {
                threads.add(inWords(task));
            }
        } catch (IOException | UncheckedIOException e) {
            return threads; // it has ended this moment
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
