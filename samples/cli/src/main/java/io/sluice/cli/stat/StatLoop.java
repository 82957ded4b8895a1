package io.sluice.cli.stat;

import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.MessagingException;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** Shows the counters repeatedly. */
public final class StatLoop {
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private final DriverView driver;
    private final PrintWriter out;
    private final boolean json;
    private final boolean clear;
    private final StatJson lines = new StatJson();

    /**
     * Prepares to show counters.
     *
     * @param driver driver whose counters to show
     * @param out writer to print to
     * @param json whether to print one object per line instead of tables
     * @param clear whether a table replaces the previous one
     */
    public StatLoop(DriverView driver, PrintWriter out, boolean json, boolean clear) {
        this.driver = driver;
        this.out = out;
        this.json = json;
        this.clear = clear && !json;
    }

    /**
     * Prints the counters the given number of times, or until its output can no longer be written.
     *
     * @param intervalNs nanoseconds between two refreshes
     * @param times number of refreshes; 0 for as long as the driver runs
     * @throws MessagingException if the driver ends
     * @throws InterruptedException if this thread is interrupted
     */
    public void run(long intervalNs, long times) throws InterruptedException {
        Sight sight = null;
        for (long shown = 0; times == 0 || shown < times; shown++) {
            if (shown > 0) {
                TimeUnit.NANOSECONDS.sleep(intervalNs);
            }
            if (!driver.isAlive()) {
                throw new MessagingException("the media driver in " + driver.directory() + " is no longer running");
            }
            sight = new Sight(driver.read(), System.nanoTime(), sight);
            show(sight, shown > 0);
            if (out.checkError()) {
                return;
            }
        }
    }

    private void show(Sight sight, boolean again) {
        if (json) {
            out.println(lines.line(driver, sight));
            out.flush();
            return;
        }
        out.print(clear ? CLEAR : again ? System.lineSeparator() : "");
        new StatPage(out, sight).print(driver);
    }
}
