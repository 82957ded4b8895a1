package io.sluice.tree.spi;

/**
 * The limits that all trees of a planner keep.
 *
 * @param degree maximum number of children of a site in one tree, T; 0 for any number
 * @param depth  maximum number of hops from a server to a site, H; 0 for any number
 */
public record TreeLimits(int degree, int depth) {
    /** No limits. */
    public static final TreeLimits NONE = new TreeLimits(0, 0);

    /** Refuses negative numbers. */
    public TreeLimits {
        if (degree < 0 || depth < 0) {
            throw new IllegalArgumentException(
                    "limits of a tree are T = " + degree + " and H = " + depth + ", expected 0 or more");
        }
    }

    /** The number by which children exceed T. */
    public int excess(int children) {
        return degree == 0 ? 0 : Math.max(0, children - degree);
    }

    /** Whether a site may be at this depth. */
    public boolean allowsDepth(int hops) {
        return depth == 0 || hops <= depth;
    }
}
