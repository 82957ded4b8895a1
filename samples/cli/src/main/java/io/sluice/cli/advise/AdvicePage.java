package io.sluice.cli.advise;

import java.io.PrintWriter;

/** Advice, formatted for people. */
final class AdvicePage {
    private static final double PERCENT = 100;
    private static final double MBIT = 1e6;

    private AdvicePage() {}

    /** Prints advice. */
    static void print(Advice advice, PrintWriter out) {
        JobFigures job = advice.job();
        Setup setup = job.setup();
        String way = setup.isPull() ? "push-pull" : "tree " + setup.tree();
        out.printf(
                "%s: %,d parameters, %d workers, %d servers, %s, %s, %.3g %% kept, values as %s%n",
                job.source(),
                job.parameters(),
                job.workers(),
                job.servers(),
                job.sharesMemory()
                        ? "shared memory"
                        : "links of %,.0f Mbit/s, %s".formatted(job.linkRate() / MBIT, way),
                setup.consistency(),
                PERCENT * setup.kept(),
                setup.values());
        boolean measured = job.clockSeconds() != null;
        out.printf(
                "%na clock takes %.4g s%s; a worker pushes %,.0f bytes in it, and receives %,.0f%n",
                advice.clockSeconds(), measured ? "" : " (predicted)", job.pushedBytes(), job.receivedBytes());
        part(out, advice, "computing", job.computeSeconds());
        part(out, advice, "filtering, framing, sending", job.pushSeconds());
        part(out, advice, "waiting", advice.clockSeconds() - job.computeSeconds() - job.pushSeconds());
        String means = job.sharesMemory() ? "copies" : "links";
        part(out, advice, "  " + means + " busy with pushes", advice.pushMessageSeconds());
        part(out, advice, "  " + means + " busy with broadcasts", advice.broadcastMessageSeconds());
        part(out, advice, "neither computing nor messages", advice.otherSeconds());
        if (job.cores() != null) {
            part(out, advice, "all " + job.cores() + " cores busy", advice.processorSeconds());
        }
        advice.remarks().forEach(remark -> out.printf("%n%s%n", remark));
        out.printf("%n%-50s %10s %8s %8s   %s%n", "one change", "seconds", "saves", "at most", "result");
        for (Lever lever : advice.levers()) {
            out.printf(
                    "%-50s %10.4g %6.0f %% %6.0f %%   %s%n",
                    lever.change(),
                    lever.seconds(),
                    PERCENT * lever.gain(),
                    PERCENT * lever.mostGain(),
                    lever.result().words());
        }
        out.printf("%n%s%n", advice.advice());
        out.flush();
    }

    private static void part(PrintWriter out, Advice advice, String what, double seconds) {
        out.printf("  %-34s %10.4g s %6.0f %%%n", what, seconds, PERCENT * seconds / advice.clockSeconds());
    }
}
