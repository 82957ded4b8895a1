package io.sluice.consistency.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Who takes part at which clock, from the first crew to the last that has been agreed on: the same at all nodes, as far
 * as they know it. Immutable.
 */
public final class CrewHistory {
    /** No job comes that far: at a clock each microsecond it takes nine years. */
    private static final long LAST_CLOCK = 1L << 48;

    private final List<Crew> crews;
    private final List<CrewChange> changes;

    private CrewHistory(List<Crew> crews, List<CrewChange> changes) {
        this.crews = List.copyOf(crews);
        this.changes = List.copyOf(changes);
    }

    /**
     * That of a cluster that has just begun.
     *
     * @param workers of its first crew, with the lowest indices
     * @return a history of one crew
     */
    public static CrewHistory of(int workers) {
        Crew first = new Crew(1, IntStream.range(0, workers).boxed().toList());
        return new CrewHistory(List.of(first), List.of());
    }

    /**
     * The same with one change more.
     *
     * @param change of a clock behind that of all changes so far
     * @return another history
     * @throws IllegalArgumentException if it does not fit: the clock is not behind, the worker is there already or is
     *                                  not, or nobody would be left
     */
    public CrewHistory with(CrewChange change) {
        if (!fits(change)) {
            throw new IllegalArgumentException(change + " does not fit behind " + last());
        }
        List<Integer> workers = new ArrayList<>(last().workers());
        if (change.joins()) {
            workers.add(change.worker());
            workers.sort(null);
        } else {
            workers.remove(Integer.valueOf(change.worker()));
        }
        List<Crew> nowCrews = new ArrayList<>(crews);
        nowCrews.add(new Crew(change.clock(), workers));
        List<CrewChange> nowChanges = new ArrayList<>(changes);
        nowChanges.add(change);
        return new CrewHistory(nowCrews, nowChanges);
    }

    /** Whether a change can come behind all others. */
    boolean fits(CrewChange change) {
        boolean isThere = last().workers().contains(change.worker());
        return change.clock() > last().since()
                && isClock(change.clock())
                && change.joins() != isThere
                && (change.joins() || last().size() > 1);
    }

    /** Whether a number off the wire can be a clock in which somebody takes part. */
    static boolean isClock(long clock) {
        return clock > 0 && clock <= LAST_CLOCK;
    }

    /**
     * All crews.
     *
     * @return in order of their first clock; at least one
     */
    public List<Crew> crews() {
        return crews;
    }

    /** All changes, in order of their clocks. */
    List<CrewChange> changes() {
        return changes;
    }

    /** The crew agreed on last, whose first clock may be yet to come. */
    Crew last() {
        return crews.getLast();
    }

    /**
     * Who takes part at a clock.
     *
     * @param clock any; at the start, clock 0, it is the first crew
     * @return that crew
     */
    public Crew at(long clock) {
        for (Crew crew : crews.reversed()) {
            if (crew.since() <= clock) {
                return crew;
            }
        }
        return crews.getFirst();
    }

    /**
     * Whether a worker takes part at a clock.
     *
     * @param worker its index
     * @param clock  any
     * @return whether it does
     */
    public boolean has(int worker, long clock) {
        return at(clock).workers().contains(worker);
    }

    /** From which clock on a worker takes no more part: that of its last going; 0 if there was none. */
    long goneSince(int worker) {
        for (CrewChange change : changes.reversed()) {
            if (change.worker() == worker) {
                return change.joins() ? 0 : change.clock();
            }
        }
        return 0;
    }

    /**
     * What changes with a clock.
     *
     * @param clock any
     * @return the change, or null
     */
    public CrewChange changeAt(long clock) {
        for (CrewChange change : changes.reversed()) {
            if (change.clock() == clock) {
                return change;
            }
        }
        return null;
    }
}
