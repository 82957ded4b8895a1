package io.sluice.cli.stat;

import io.sluice.messaging.RecordedError;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** The errors that a media driver and the processes at it have recorded, as people read them. */
public final class ErrorPage {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

    private ErrorPage() {}

    /**
     * Prints errors.
     *
     * @param out where to
     * @param errors what was recorded
     */
    public static void print(PrintWriter out, List<RecordedError> errors) {
        for (RecordedError error : errors) {
            out.printf(
                    "%s, process %d: %d times from %s to %s%n",
                    error.source(), error.processId(), error.count(), time(error.firstMs()), time(error.lastMs()));
            error.text().lines().forEach(line -> out.printf("    %s%n", printable(line)));
        }
        out.printf("%d distinct errors%n", errors.size());
        out.flush();
    }

    private static String time(long ms) {
        return TIME.format(Instant.ofEpochMilli(ms));
    }

    /** A message may contain bytes that an outsider sent, such as control codes for a terminal. */
    private static String printable(String line) {
        return line.replace("\t", "    ").replaceAll("\\p{Cntrl}", "?");
    }
}
