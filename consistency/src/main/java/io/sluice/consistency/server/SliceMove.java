package io.sluice.consistency.server;

/**
 * A move of slices between servers during the job.
 *
 * @param clock  first clock whose updates the new owner sums
 * @param gained number of slices that the server owns from then on
 * @param given  number of slices that it has given up
 */
public record SliceMove(long clock, int gained, int given) {

    /**
     * Describes the move.
     *
     * @return for example {@code owns 3 fewer slices from clock 40 on}
     */
    public String sentence() {
        String fewer = given > 0 ? inWords(given, "fewer") : "";
        String more = gained > 0 ? inWords(gained, "more") : "";
        return "owns " + fewer + (given > 0 && gained > 0 ? " and " : "") + more + " from clock " + clock + " on";
    }

    private static String inWords(int slices, String change) {
        return slices + " " + change + (1 == slices ? " slice" : " slices");
    }
}
