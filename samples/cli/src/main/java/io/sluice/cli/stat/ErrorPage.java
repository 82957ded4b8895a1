package io.sluice.cli.stat;

import io.sluice.messaging.RecordedError;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Prints the errors that a media driver and its clients have recorded. */
public final class ErrorPage {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

    private ErrorPage() {}

    /**
     * Prints errors.
     *
     * @param out writer to print to
     * @param errors recorded errors
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

    /**
     * Replaces characters that are not printable: a message may contain bytes from an outsider, such as control codes
     * for a terminal.
     */
    private static String printable(String line) {
        return line.replace("\t", "    ").replaceAll("\\p{Cntrl}", "?");
    }
}
