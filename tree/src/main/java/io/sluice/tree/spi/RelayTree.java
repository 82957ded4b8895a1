package io.sluice.tree.spi;

import java.util.Arrays;

/**
 * The tree by which one shard, or one stripe of it, reaches all sites that need it from its server's site. Immutable.
 *
 * <p>Sites are those of the {@link BroadcastJob}. In {@link #order} each follows its parent, and the children of a site
 * are adjacent, in the order in which frames are sent to them.
 */
public final class RelayTree {
    /** Parent of the root, and of sites that are not in the tree. */
    public static final int NONE = -1;

    private final int shard;
    private final int root;
    private final long bytes;
    private final int[] parents;
    private final int[] order;
    private final int[] firstChild;
    private final int[] degrees;

    /**
     * Creates a tree.
     *
     * @param job     job for which the tree is made
     * @param shard   shard that the tree carries
     * @param bytes   bytes of the shard that use this tree
     * @param parents parent of each site; {@link #NONE} for the root and sites that are not in the tree
     * @throws IllegalArgumentException if the tree does not reach each receiver of the shard, or reaches another site
     */
    public RelayTree(BroadcastJob job, int shard, long bytes, int[] parents) {
        this.shard = shard;
        this.root = job.root(shard);
        this.bytes = bytes;
        this.parents = parents;
        this.degrees = new int[parents.length];
        this.firstChild = new int[parents.length];
        int members = 1;
        for (int site = 0; site < parents.length; site++) {
            boolean member = parents[site] != NONE;
            if (member != job.receives(shard, site)) {
                throw new IllegalArgumentException(
                        "the tree of shard " + shard + (member ? " reaches " : " does not reach ") + job.name(site)
                                + ", which " + (member ? "does not need" : "needs") + " the shard's broadcasts");
            }
            if (member) {
                degrees[parents[site]]++;
                members++;
            }
        }
        this.order = levels(job, members);
    }

    /** Orders the sites breadth first: a site's children get the next positions when the site is visited. */
    private int[] levels(BroadcastJob job, int members) {
        int[] slots = new int[members];
        int[] byParent = new int[members];
        int[] begin = new int[parents.length + 1];
        for (int site = 0; site < parents.length; site++) {
            begin[site + 1] = begin[site] + degrees[site];
        }
        int[] next = Arrays.copyOf(begin, parents.length);
        for (int site = 0; site < parents.length; site++) {
            if (parents[site] != NONE) {
                byParent[next[parents[site]]++] = site;
            }
        }
        slots[0] = root;
        int reached = 1;
        for (int i = 0; i < reached; i++) {
            int site = slots[i];
            firstChild[site] = reached;
            System.arraycopy(byParent, begin[site], slots, reached, degrees[site]);
            reached += degrees[site];
        }
        if (reached != members) {
            throw new IllegalArgumentException("the tree of shard " + shard + " reaches " + (reached - 1) + " of "
                    + (members - 1) + " sites from " + job.name(root) + ": the others form a cycle");
        }
        return slots;
    }

    /** The shard that uses this tree in full or by one stripe. */
    public int shard() {
        return shard;
    }

    /** Site of the server. */
    public int root() {
        return root;
    }

    /** Number of bytes of the shard that use this tree. */
    public long bytes() {
        return bytes;
    }

    /** Number of sites in the tree, the root included. */
    public int size() {
        return order.length;
    }

    /**
     * A site by its place in the order.
     *
     * @param place 0 for the root, up to {@link #size} - 1
     */
    public int order(int place) {
        return order[place];
    }

    /** Site that sends to a site; {@link #NONE} for the root and sites that are not in the tree. */
    public int parent(int site) {
        return parents[site];
    }

    /** Number of sites to which a site sends. */
    public int degree(int site) {
        return degrees[site];
    }

    /**
     * A child of a site.
     *
     * @param site  site that sends
     * @param index 0 to {@link #degree} - 1
     */
    public int child(int site, int index) {
        return order[firstChild[site] + index];
    }

    /** Number of hops from the root to the site that is farthest from it. */
    public int depth() {
        int[] depths = new int[parents.length];
        int deepest = 0;
        for (int i = 1; i < order.length; i++) {
            depths[order[i]] = depths[parents[order[i]]] + 1;
            deepest = Math.max(deepest, depths[order[i]]);
        }
        return deepest;
    }

    /** Sum of the costs of all hops. */
    public double cost(BroadcastJob job) {
        double cost = 0;
        for (int i = 1; i < order.length; i++) {
            cost += job.cost(parents[order[i]], order[i]);
        }
        return cost;
    }

    /** Number of sites that send to no other. */
    public int leaves() {
        return (int) Arrays.stream(order).filter(site -> degrees[site] == 0).count();
    }
}
