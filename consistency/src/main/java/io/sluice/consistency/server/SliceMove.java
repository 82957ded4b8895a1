package io.sluice.consistency.server;

/**
 * A move of slices between servers during the job.
 *
 * @param clock first clock whose updates the new owner sums
 * @param came  number of slices gained
 * @param went  number of slices given up
 */
public record SliceMove(long clock, int came, int went) {

    /**
     * Describes the move.
     *
     * @return for example {@code owns 3 fewer slices from clock 40 on}
     */
    public String sentence() {
        String fewer = went > 0 ? inWords(went, "fewer") : "";
        String more = came > 0 ? inWords(came, "more") : "";
        return "owns " + fewer + (went > 0 && came > 0 ? " and " : "") + more + " from clock " + clock + " on";
    }

    private static String inWords(int slices, String change) {
        return slices + " " + change + (1 == slices ? " slice" : " slices");
    }
}
