package io.sluice.tree.planning;

import java.util.SplittableRandom;

/**
 * Makes a tree cheaper by simulated annealing, and descent at the end: it moves leaves to other parents and swaps
 * sites. It uses a fixed number of tries and {@link StrictMath}, so that the result depends on the seed only, not on
 * the platform: every node searches for itself, and all must find the same tree.
 */
final class CheapestTreeSearch {
    private static final int TRIES = 1_500_000;
    private static final int TRIES_PER_SITE = 150;
    private static final int MOST_PER_SITE = 20_000;

    /** Temperatures at which searches begin; those of equal temperature take other random steps. */
    private static final double[] HOT = {0.1, 0.4, 1, 2.5, 1, 2.5};

    /**
     * Maximum number of sites for which the search tries all temperatures: with more sites, a hot start only undoes
     * good choices.
     */
    private static final int FEW = 500;

    private static final double COLD = 0.005;
    private static final int COOLINGS = 100;

    private SharedTree tree;
    private final SiteCosts costs;
    private final double leafPenalty;
    private final SplittableRandom random;
    private final int[] members;
    private double temperature;

    CheapestTreeSearch(SharedTree tree, SiteCosts costs, double leafPenalty, long seed) {
        this.tree = tree;
        this.costs = costs;
        this.leafPenalty = leafPenalty;
        this.random = new SplittableRandom(seed);
        this.members = tree.members();
    }

    /** Searches, and returns a cheaper tree, or the initial one if there is none. */
    SharedTree run() {
        if (members.length < 2) {
            return tree;
        }
        SharedTree first = tree;
        SharedTree best = first;
        for (double hot : members.length > FEW ? new double[] {HOT[0]} : HOT) {
            SharedTree found = anneal(first.copy(), hot);
            best = found.objective(costs, leafPenalty) < best.objective(costs, leafPenalty) ? found : best;
        }
        return best;
    }

    private SharedTree anneal(SharedTree copy, double hot) {
        tree = copy;
        temperature = hot;
        int tries =
                (int) Math.min(TRIES + (long) TRIES_PER_SITE * members.length, (long) MOST_PER_SITE * members.length);
        double cooling = StrictMath.pow(COLD / hot, 1.0 / COOLINGS);
        for (int step = 0; step < COOLINGS; step++) {
            for (int i = 0; i < tries / COOLINGS; i++) {
                if (random.nextBoolean()) {
                    tryMove();
                } else {
                    trySwap();
                }
            }
            temperature *= cooling;
        }
        temperature = 0;
        for (int i = 0; i < tries / COOLINGS; i++) {
            tryMove();
            trySwap();
        }
        return tree;
    }

    private void tryMove() {
        int leaf = members[random.nextInt(members.length)];
        int parent = near(leaf);
        int old = tree.parent(leaf);
        if (tree.degree(leaf) > 0 || parent == leaf || parent == old || !tree.hasRoom(parent)) {
            return;
        }
        double change = costs.of(parent, leaf) - costs.of(old, leaf);
        change += old != tree.root() && tree.degree(old) == 1 ? leafPenalty : 0;
        change -= parent != tree.root() && tree.degree(parent) == 0 ? leafPenalty : 0;
        if (isTaken(change)) {
            tree.move(leaf, parent);
        }
    }

    /** Draws a site, half of the time one near the given site: sites are numbered rack by rack. */
    private int near(int site) {
        int pick = random.nextInt(members.length + 1);
        if (pick == members.length) {
            return tree.root();
        }
        if ((random.nextInt() & 1) == 0) {
            return members[pick];
        }
        int neighbour = site + random.nextInt(-16, 17);
        return neighbour >= 0 && neighbour < tree.root() && tree.isReached(neighbour) ? neighbour : members[pick];
    }

    private void trySwap() {
        int one = members[random.nextInt(members.length)];
        int other = members[random.nextInt(members.length)];
        if (one == other || tree.parent(one) == other || tree.parent(other) == one) {
            return;
        }
        double change = exchanged(one, other) + exchanged(other, one);
        if (tree.parent(one) == tree.parent(other)) {
            change = below(one, other) + below(other, one);
        }
        if (isTaken(change)) {
            tree.swap(one, other);
        }
    }

    /** The cost change if one site takes the position of another. */
    private double exchanged(int one, int other) {
        int parent = tree.parent(one);
        return costs.of(parent, other) - costs.of(parent, one) + below(one, other);
    }

    private double below(int one, int other) {
        double change = 0;
        for (int i = 0; i < tree.degree(one); i++) {
            int child = tree.child(one, i);
            change += costs.of(other, child) - costs.of(one, child);
        }
        return change;
    }

    private boolean isTaken(double change) {
        return change <= 0 || temperature > 0 && random.nextDouble() < StrictMath.exp(-change / temperature);
    }
}
