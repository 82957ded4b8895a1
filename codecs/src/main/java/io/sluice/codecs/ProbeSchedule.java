package io.sluice.codecs;

/**
 * Which frames of a class are probes, and of which candidate: counted in frames, never in time, so that the same
 * frames are probed in every run.
 *
 * <p>The first frames are all probes, four of each candidate. Later one in {@value #SHORTEST} is, the candidates
 * taking turns; while nothing changes the interval doubles with each turn up to {@value #LONGEST}. A probe that
 * contradicts the verdict is followed by {@value #FOLLOW_UP} more of the same candidate, so that a change of the data
 * is acted on within one turn and not after many.
 */
final class ProbeSchedule {
    /** No probe: the verdict holds. */
    static final int NONE = -1;

    static final int SHORTEST = 128;
    static final int LONGEST = 1024;
    static final int FOLLOW_UP = 8;
    private static final int WARM_UP = 4;

    private final int candidates;
    private int interval = SHORTEST;
    private int framesLeft = 1;
    private int warmUpLeft;
    private int followUpLeft;
    private int followed;
    private int turn;
    private boolean regular;

    ProbeSchedule(int candidates) {
        this.candidates = candidates;
        this.warmUpLeft = WARM_UP * candidates;
    }

    /** Counts a frame. Returns the candidate to probe with it, or {@link #NONE}. */
    int next() {
        framesLeft--;
        return framesLeft > 0 ? NONE : probe();
    }

    private int probe() {
        regular = followUpLeft == 0 && warmUpLeft == 0;
        if (followUpLeft > 0) {
            followUpLeft--;
            framesLeft = followUpLeft > 0 ? 1 : interval;
            return followed;
        }
        int candidate = turn;
        turn = (turn + 1) % candidates;
        if (warmUpLeft > 0) {
            warmUpLeft--;
            framesLeft = warmUpLeft > 0 ? 1 : interval;
        } else {
            framesLeft = interval;
            interval = turn == 0 ? Math.min(2 * interval, LONGEST) : interval;
        }
        return candidate;
    }

    /** The probe just made contradicts the verdict. A follow-up is not followed up itself. */
    void onSurprise(int candidate) {
        if (regular) {
            followed = candidate;
            followUpLeft = FOLLOW_UP;
            framesLeft = 1;
        }
    }

    /** The verdict has changed: look closely for a while. */
    void onChange() {
        interval = SHORTEST;
    }
}
