package io.sluice.consistency.feedback;

/**
 * Decides whether the links of a node are sufficient: whether each has a minimum bandwidth (Parameter Flow, section
 * 3.3.3, which gives 50 Mbit/s as an example). The answer selects one of the filter's two thresholds.
 *
 * <p>An estimate near the minimum oscillates around it, and each change of threshold multiplies the bytes sent. So an
 * insufficient link must exceed the minimum by a margin to become sufficient again. A link without an estimate keeps
 * its state, which is sufficient at first.
 *
 * <p>For one thread.
 */
public final class Sufficiency {
    private final long minimum;
    private final long returnAt;
    private final boolean[] insufficient;
    private int insufficientLinks;

    /**
     * Creates the decision for the links of one node.
     *
     * @param links   number of links on which the node sends
     * @param minimum bytes per second that each link must have; 0 for none
     * @param margin  share above the minimum at which an insufficient link is sufficient again, 0 to 1, such as 0.2
     * @throws IllegalArgumentException if one is out of range
     */
    public Sufficiency(int links, long minimum, double margin) {
        if (links < 0) {
            throw new IllegalArgumentException("links is " + links + ", expected 0 or more");
        }
        if (minimum < 0) {
            throw new IllegalArgumentException("minimum is " + minimum + " bytes/s, expected 0 or more");
        }
        if (!(margin >= 0 && margin <= 1)) {
            throw new IllegalArgumentException("margin is " + margin + ", expected 0 to 1");
        }
        this.minimum = minimum;
        this.returnAt = (long) Math.ceil(minimum * (1 + margin));
        this.insufficient = new boolean[links];
    }

    /**
     * Receives an estimate.
     *
     * @param link           0 to the number of links less 1
     * @param bytesPerSecond available bandwidth of the link; 0 or less if it is not known
     */
    public void onEstimate(int link, long bytesPerSecond) {
        if (bytesPerSecond <= 0) {
            return;
        }
        boolean was = insufficient[link];
        boolean is = bytesPerSecond < (was ? returnAt : minimum);
        insufficient[link] = is;
        insufficientLinks += (is ? 1 : 0) - (was ? 1 : 0);
    }

    /** Whether no link is known to be insufficient. */
    public boolean isSufficient() {
        return insufficientLinks == 0;
    }
}
