package io.sluice.perf.options;

import io.sluice.perf.UnavailableException;
import io.sluice.perf.race.Entrant;
import io.sluice.perf.race.Pace;
import io.sluice.perf.race.Race;
import io.sluice.perf.report.Machine;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Option;

/** How long and how carefully to measure. */
public final class RaceOptions {
    private static final int MIB_BITS = 20;

    /** What a JVM takes besides its tables. */
    private static final long JVM_BYTES = 100L << MIB_BITS;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Turns of each contestant that count (${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--one-jvm",
            description = "Run all contestants in this JVM: starts faster, but they spoil one another's compilation.")
    private boolean oneJvm;

    @Option(
            names = "--quick",
            description = "Neither warm up nor repeat: to see that it runs; the figures mean nothing.")
    private boolean quick;

    /** Whether the figures will mean nothing, so that anything may be cut short. */
    public boolean isQuick() {
        return quick;
    }

    /** Whether all contestants run in this JVM. */
    public boolean isOneJvm() {
        return oneJvm;
    }

    /** Says where this runs, and what the figures will not be worth. */
    public void introduce(Machine machine, PrintWriter out) {
        out.println(machine.sentence());
        if (machine.isLoaded()) {
            out.printf(
                    "WARNING: the load is %.1f on %d cores: others run here, and only ratios mean anything%n",
                    machine.load(), machine.cores());
        }
        if (quick) {
            out.println("WARNING: --quick: nothing is warm, the speeds mean nothing");
        } else if (oneJvm) {
            out.println("WARNING: --one-jvm: loops are slower here than they are alone");
        }
        out.flush();
    }

    /**
     * The race.
     *
     * @param pace unless it is to be quick
     */
    public Race race(Pace pace) {
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds is " + rounds + ", expected 1 or more");
        }
        return new Race(rounds, quick ? Pace.QUICK : pace, !oneJvm);
    }

    /** Refuses entrants whose tables do not fit into memory all at once. */
    public void checkMemory(List<? extends Entrant> entrants) {
        long tables = entrants.stream().mapToLong(Entrant::memory).sum();
        long jvms = entrants.stream().map(Entrant::group).distinct().count();
        long needed = tables + (oneJvm ? 0 : jvms * JVM_BYTES);
        long free = Machine.freeMemory();
        if (needed > free) {
            throw new UnavailableException("the tables of " + entrants.size() + " contestants need "
                    + (needed >> MIB_BITS) + " MiB at once, and " + (free >> MIB_BITS)
                    + " MiB are free: choose a smaller --size or fewer --values");
        }
    }
}
