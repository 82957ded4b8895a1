package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.RelayTree;
import java.util.Arrays;

/**
 * Builds a tree from the number of children of each site, with neighbours near each other.
 *
 * <p>First it attaches one site of each rack to a rack that it has already attached: the backbone. Then, rack by rack,
 * it attaches the other inner sites, those with the most children first; then the leaves. A parent is free if it has
 * fewer children than it may have. Each site gets a free parent in its rack, or otherwise under its aggregation switch,
 * or otherwise anywhere, preferably in a rack that has places to spare; among equals, the parent that was attached
 * first. There always is a free parent, because an inner site adds at least as many places as it takes.
 */
final class LocalTree {
    private final BroadcastJob job;
    private final int shard;
    private final int[] children;
    private final int[] room;
    private final int[] parents;
    private final int[] ranked;
    private final Reached[] byRack;
    private final Reached[] byAggregation;
    private final Reached all;
    private final int[] exports;

    /** For each rack, the children that its sites can still take, less its own sites without a parent. */
    private final int[] spare;

    private LocalTree(BroadcastJob job, int shard, int[] children) {
        this.job = job;
        this.shard = shard;
        this.children = children;
        this.room = children.clone();
        this.parents = new int[job.sites()];
        this.ranked = byChildren();
        this.byRack = new Reached[job.topology().edges().size()];
        this.byAggregation = new Reached[job.topology().aggregations().size()];
        this.all = new Reached();
        this.exports = new int[byRack.length];
        this.spare = new int[byRack.length];
        for (int site = 0; site < children.length; site++) {
            spare[job.edge(site)] += children[site] - (job.receives(shard, site) ? 1 : 0);
        }
        Arrays.fill(parents, RelayTree.NONE);
        Arrays.setAll(byRack, _ -> new Reached());
        Arrays.setAll(byAggregation, _ -> new Reached());
    }

    /**
     * Builds the tree with near neighbours.
     *
     * @param job      job to be planned
     * @param shard    shard of the tree
     * @param children children of each site
     * @param width    maximum number of racks to which one rack passes the shard on in the backbone, 1 or more: 1 costs
     *                 least and is deepest
     */
    static RelayTree near(BroadcastJob job, int shard, int[] children, int width) {
        LocalTree tree = new LocalTree(job, shard, children);
        tree.markReached(job.root(shard), RelayTree.NONE);
        tree.backbone(width);
        for (int site : tree.ranked) {
            if (children[site] > 0) {
                tree.attachWithin(site);
            }
        }
        for (int site : tree.ranked) {
            if (children[site] > 0) {
                tree.attach(site);
            }
        }
        for (int site : tree.ranked) {
            tree.attachWithin(site);
        }
        for (int site : tree.ranked) {
            tree.attach(site);
        }
        return tree.tree();
    }

    /**
     * Builds the tree of minimum depth.
     *
     * @param job      job to be planned
     * @param shard    shard of the tree
     * @param children children of each site
     */
    static RelayTree level(BroadcastJob job, int shard, int[] children) {
        LocalTree tree = new LocalTree(job, shard, children);
        tree.markReached(job.root(shard), RelayTree.NONE);
        for (int site : tree.ranked) {
            tree.markReached(site, tree.all.first());
        }
        return tree.tree();
    }

    private RelayTree tree() {
        return new RelayTree(job, shard, job.shardBytes(shard), parents);
    }

    /**
     * The sites that the shard must reach, those with the most children first. Sites with equally many children keep
     * the order of the job, rack by rack; the shard determines the site at which that order begins.
     */
    private int[] byChildren() {
        int most = Arrays.stream(children).max().orElse(0);
        int[] next = new int[most + 1];
        for (int site = 0; site < children.length; site++) {
            if (job.receives(shard, site) && children[site] > 0) {
                next[children[site] - 1]++;
            }
        }
        for (int degree = most - 1; degree >= 0; degree--) {
            next[degree] += next[degree + 1];
        }
        int[] sorted = new int[job.receivers(shard)];
        int begin = begin();
        for (int i = 0; i < children.length; i++) {
            int site = (begin + i) % children.length;
            if (job.receives(shard, site)) {
                sorted[next[children[site]]++] = site;
            }
        }
        return sorted;
    }

    private int begin() {
        return (int) ((long) shard * children.length / job.shards());
    }

    private void backbone(int width) {
        boolean[] entered = new boolean[byRack.length];
        entered[job.edge(job.root(shard))] = true;
        int[] gates = new int[byRack.length];
        int[] entries = new int[byRack.length];
        Arrays.fill(gates, RelayTree.NONE);
        int count = 0;
        for (int site : ranked) {
            int edge = job.edge(site);
            if (children[site] > 0 && !entered[edge]) {
                entered[edge] = true;
                entries[count++] = site;
            }
        }
        Arrays.sort(entries, 0, count);
        int from = 0;
        while (from < count && entries[from] < begin()) {
            from++;
        }
        for (int i = 0; i < count; i++) {
            int site = entries[(from + i) % count];
            int parent = byAggregation[job.aggregation(site)].gate(width);
            parent = parent == RelayTree.NONE ? all.gate(width) : parent;
            parent = parent == RelayTree.NONE ? all.first() : parent;
            exports[job.edge(parent)]++;
            markReached(site, parent);
        }
    }

    private void attachWithin(int site) {
        int parent = byRack[job.edge(site)].first();
        if (parents[site] == RelayTree.NONE && parent != RelayTree.NONE) {
            markReached(site, parent);
        }
    }

    private void attach(int site) {
        attachWithin(site);
        if (parents[site] == RelayTree.NONE) {
            Reached near = byAggregation[job.aggregation(site)];
            int parent = near.firstToSpare();
            parent = parent == RelayTree.NONE ? all.firstToSpare() : parent;
            parent = parent == RelayTree.NONE ? near.first() : parent;
            markReached(site, parent == RelayTree.NONE ? all.first() : parent);
        }
    }

    private void markReached(int site, int parent) {
        if (parent != RelayTree.NONE) {
            parents[site] = parent;
            room[parent]--;
            if (job.edge(site) != job.edge(parent)) {
                spare[job.edge(site)]++;
                spare[job.edge(parent)]--;
            }
        }
        if (room[site] > 0) {
            byRack[job.edge(site)].add(site);
            byAggregation[job.aggregation(site)].add(site);
            all.add(site);
        }
    }

    /** The attached sites in the order of attachment, without those that have all their children. */
    private final class Reached {
        private int[] sites = new int[8];
        private int size;
        private int head;
        private int gateHead;
        private int spareHead;

        void add(int site) {
            if (size == sites.length) {
                sites = Arrays.copyOf(sites, 2 * size);
            }
            sites[size++] = site;
        }

        int first() {
            while (head < size && room[sites[head]] == 0) {
                head++;
            }
            return head < size ? sites[head] : RelayTree.NONE;
        }

        /** The first site that may have another child, in a rack with places to spare. */
        int firstToSpare() {
            while (spareHead < size && (room[sites[spareHead]] == 0 || spare[job.edge(sites[spareHead])] <= 0)) {
                spareHead++;
            }
            return spareHead < size ? sites[spareHead] : RelayTree.NONE;
        }

        /**
         * The first site that may have another child, in a rack that forwards to fewer than {@code width} other racks.
         */
        int gate(int width) {
            while (gateHead < size && (room[sites[gateHead]] == 0 || exports[job.edge(sites[gateHead])] >= width)) {
                gateHead++;
            }
            return gateHead < size ? sites[gateHead] : RelayTree.NONE;
        }
    }
}
