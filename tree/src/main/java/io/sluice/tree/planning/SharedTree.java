package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.RelayTree;
import java.util.Arrays;

/** One tree below all servers, while it is being built and changed. Sites without workers are not in it. */
final class SharedTree {
    private final int most;
    private final int deepest;
    private final int[] members;
    private final int[] parents;
    private final int[] degrees;
    private final int[] depths;
    private final int[][] children;

    /**
     * Creates a tree without sites.
     *
     * @param job     job with the sites to reach
     * @param most    children of a site
     * @param deepest depth of a site
     */
    SharedTree(BroadcastJob job, int most, int deepest) {
        this.most = most;
        this.deepest = deepest;
        int sites = job.sites();
        this.parents = new int[sites + 1];
        this.degrees = new int[sites + 1];
        this.depths = new int[sites + 1];
        this.children = new int[sites + 1][];
        Arrays.fill(parents, RelayTree.NONE);
        int[] receiving = new int[sites];
        int count = 0;
        for (int site = 0; site < sites; site++) {
            if (job.hasWorkers(site)) {
                receiving[count++] = site;
            }
        }
        this.members = Arrays.copyOf(receiving, count);
    }

    private SharedTree(SharedTree other) {
        most = other.most;
        deepest = other.deepest;
        members = other.members;
        parents = other.parents.clone();
        degrees = other.degrees.clone();
        depths = other.depths.clone();
        children = new int[other.children.length][];
        Arrays.setAll(children, site -> other.children[site] == null ? null : other.children[site].clone());
    }

    SharedTree copy() {
        return new SharedTree(this);
    }

    /** Number of the node that represents all servers. */
    int root() {
        return parents.length - 1;
    }

    /** Sites to be reached. */
    int[] members() {
        return members;
    }

    int parent(int site) {
        return parents[site];
    }

    int degree(int site) {
        return degrees[site];
    }

    int depth(int site) {
        return depths[site];
    }

    int child(int site, int index) {
        return children[site][index];
    }

    /** Whether a site that has been reached can have one more child. */
    boolean hasRoom(int site) {
        return degrees[site] < most && depths[site] < deepest;
    }

    boolean isReached(int site) {
        return parents[site] != RelayTree.NONE;
    }

    /** Assigns a parent to a site. */
    void attach(int site, int parent) {
        if (children[parent] == null) {
            children[parent] = new int[Math.min(most, 4)];
        } else if (degrees[parent] == children[parent].length) {
            children[parent] = Arrays.copyOf(children[parent], Math.min(most, 2 * degrees[parent]));
        }
        children[parent][degrees[parent]++] = site;
        parents[site] = parent;
        depths[site] = depths[parent] + 1;
    }

    /** Moves a leaf to another parent. */
    void move(int leaf, int parent) {
        int old = parents[leaf];
        int[] siblings = children[old];
        siblings[indexOf(siblings, leaf)] = siblings[--degrees[old]];
        attach(leaf, parent);
    }

    /** Swaps the positions of two sites. */
    void swap(int one, int other) {
        int oneParent = parents[one];
        int otherParent = parents[other];
        int oneIndex = indexOf(children[oneParent], one);
        int otherIndex = indexOf(children[otherParent], other);
        children[oneParent][oneIndex] = other;
        children[otherParent][otherIndex] = one;
        parents[one] = otherParent == one ? other : otherParent;
        parents[other] = oneParent == other ? one : oneParent;
        int[] below = children[one];
        children[one] = children[other];
        children[other] = below;
        int degree = degrees[one];
        degrees[one] = degrees[other];
        degrees[other] = degree;
        int depth = depths[one];
        depths[one] = depths[other];
        depths[other] = depth;
        adopt(one);
        adopt(other);
    }

    private void adopt(int site) {
        for (int i = 0; i < degrees[site]; i++) {
            parents[children[site][i]] = site;
        }
    }

    private static int indexOf(int[] list, int site) {
        int index = 0;
        while (list[index] != site) {
            index++;
        }
        return index;
    }

    /** Cost of all hops and of all leaves. */
    double objective(SiteCosts costs, double leafPenalty) {
        double sum = 0;
        for (int site : members) {
            sum += costs.of(parents[site], site) + (degrees[site] == 0 ? leafPenalty : 0);
        }
        return sum;
    }
}
