package io.sluice.perf.report;

import java.io.PrintWriter;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows the progress of a measurement: a bar on a terminal, elsewhere a line from time to time. */
public final class Progress implements AutoCloseable {
    private static final int BAR_MS = 100;
    private static final long LINE_NANOS = 10_000_000_000L;
    private static final int LINE = 100;

    private final PrintWriter lines;
    private final int steps;
    private final ProgressBar bar;
    private String task = "";
    private int done;
    private long lastLine = System.nanoTime();

    /**
     * Begins to show progress.
     *
     * @param lines writer for lines if there is no terminal
     */
    public Progress(PrintWriter lines, int steps) {
        this.lines = lines;
        this.steps = steps;
        boolean terminal = System.console() != null && System.console().isTerminal();
        bar = terminal
                ? new ProgressBarBuilder()
                        .setTaskName("measuring")
                        .setInitialMax(steps)
                        .setUpdateIntervalMillis(BAR_MS)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setMaxRenderedLength(LINE)
                        .clearDisplayOnFinish()
                        .build()
                : null;
    }

    /** Names the current task. */
    public void task(String name) {
        task = name;
    }

    /** Records a completed step. */
    public void step(String what) {
        done++;
        if (bar != null) {
            bar.setExtraMessage(task + ", " + what);
            bar.step();
        } else if (System.nanoTime() - lastLine > LINE_NANOS) {
            lines.printf("%3d %%  %s, %s%n", 100L * done / steps, task, what);
            lines.flush();
            lastLine = System.nanoTime();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
