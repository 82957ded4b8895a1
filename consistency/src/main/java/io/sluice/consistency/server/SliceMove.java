package io.sluice.consistency.server;

/**
 * That slices have changed hands while the job ran.
 *
 * @param clock  the first of which their new owner has summed the updates
 * @param came   slices that the server owns since
 * @param went   slices that it owns no more
 */
public record SliceMove(long clock, int came, int went) {

    /**
     * In words.
     *
     * @return for example {@code owns 3 slices less from clock 40 on}
     */
    public String sentence() {
        String less = went > 0 ? inWords(went) + " less" : "";
        String more = came > 0 ? inWords(came) + " more" : "";
        return "owns " + less + (went > 0 && came > 0 ? " and " : "") + more + " from clock " + clock + " on";
    }

    private static String inWords(int slices) {
        return slices + (1 == slices ? " slice" : " slices");
    }
}
