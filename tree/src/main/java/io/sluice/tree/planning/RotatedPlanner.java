package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Plans a separate tree for each shard, with other inner sites in each: the default.
 *
 * <p>Of the plans with at most T children and at most H hops it seeks the one with the shortest time by {@link
 * PlanEstimate}; among those within {@value #SAME_TIME} of it the cheapest, and among those the shallowest. It finds
 * the shortest time in which the uplinks can carry all children ({@link ChildAllocation}). It also tries longer times
 * while less depth may compensate for them, and builds each tree both near and level ({@link LocalTree}). With one
 * server that is a chain for long messages and a tree of T children for short ones. It also tries {@link SharedPlanner}
 * with the same T and H, so by the estimate its plan is slower than that planner's by these tolerances at most.
 *
 * <p>In a job with pushes it seeks the plan with the shortest time including them, and among those within {@value
 * #SAME_TIME} the one with the shortest time without them. It also tries the best plan without pushes: if a server
 * receives pushes for longer than any plan takes, only the broadcasts decide.
 */
public final class RotatedPlanner implements TreePlanner {
    /** Maximum difference, as a share, between the times of plans that count as equally fast. */
    static final double SAME_TIME = 0.005;

    private static final double ROUNDING = 1e-9;

    private static final int HALVINGS = 16;
    private static final int ONE_BY_ONE = 64;
    private static final double[] LONGER = {1, 1.1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 32, 64};

    private final int degree;
    private final int depth;

    /**
     * Creates a planner.
     *
     * @param degree maximum number of children of a site in one tree, T
     * @param depth  maximum number of hops, H; 0 for no limit
     */
    public RotatedPlanner(int degree, int depth) {
        this.degree = degree;
        this.depth = depth;
    }

    @Override
    public Forest plan(BroadcastJob job) {
        DepthLimit.check(name(), degree, depth, job);
        Best best = new Best(job);
        best.consider(new SharedPlanner(degree, depth).plan(job).trees());
        search(job.withoutPushes(), best);
        if (job.hasPushes()
                && best.seconds(job) > (1 + SAME_TIME) * LowerBound.of(job).seconds()) {
            search(job, best);
        }
        return best.plan().forest();
    }

    private void search(BroadcastJob job, Best best) {
        double shortest = shortest(job);
        double tried = 0;
        for (double factor : LONGER) {
            double seconds = factor * shortest;
            if (seconds < tried || seconds > best.seconds(job)) {
                continue;
            }
            int[][] children = allocation(job, seconds);
            if (children != null) {
                buildWith(job, children, best);
                tried = seconds;
            }
        }
    }

    private void buildWith(BroadcastJob job, int[][] children, Best best) {
        for (int width = 1; width <= Math.min(degree, 3); width++) {
            List<RelayTree> trees = new ArrayList<>();
            for (int shard = 0; shard < job.shards(); shard++) {
                trees.add(LocalTree.near(job, shard, children[shard], width));
            }
            best.consider(trees);
        }
        List<RelayTree> level = new ArrayList<>();
        for (int shard = 0; shard < job.shards(); shard++) {
            level.add(LocalTree.level(job, shard, children[shard]));
        }
        best.consider(level);
    }

    /** Finds the shortest time for which there is an allocation, within a thousandth. */
    private double shortest(BroadcastJob job) {
        double low = uplinkBound(job);
        if (allocation(job, low) != null) {
            return low;
        }
        double step = childSeconds(job);
        if (step > 0) {
            return leastMultiple(job, Math.ceil(low / step), step) * step;
        }
        double high = 2 * low;
        while (allocation(job, high) == null) {
            low = high;
            high *= 2;
        }
        for (int i = 0; i < HALVINGS && high - low > 1e-3 * low; i++) {
            double middle = (low + high) / 2;
            if (allocation(job, middle) == null) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /**
     * Finds the smallest multiple of a child's time for which there is an allocation. It tries small multiples one by
     * one, because with a depth limit there may be an allocation for some number and none for the next. It then doubles
     * the multiple and bisects, which is close enough if one child more or less matters little.
     */
    private double leastMultiple(BroadcastJob job, double first, double step) {
        double none = first - 1;
        double children = first;
        for (double leap = 1; allocation(job, children * step) == null; leap *= children > ONE_BY_ONE ? 2 : 1) {
            none = children;
            children += leap;
        }
        while (children - none > 1) {
            double middle = Math.floor((none + children) / 2);
            if (allocation(job, middle * step) == null) {
                none = middle;
            } else {
                children = middle;
            }
        }
        return children;
    }

    /**
     * Seconds for one child if all uplinks are equal and free of pushes, so that only multiples matter; otherwise 0.
     */
    private static double childSeconds(BroadcastJob job) {
        if (job.hasPushes()) {
            return 0;
        }
        long largest = 0;
        for (int shard = 0; shard < job.shards(); shard++) {
            largest = Math.max(largest, job.shardBytes(shard));
            if (job.shardBytes(shard) < (1 - SAME_TIME) * largest) {
                return 0;
            }
        }
        for (int site = 1; site < job.sites(); site++) {
            if (job.uplink(site) != job.uplink(0)) {
                return 0;
            }
        }
        return largest / job.uplink(0);
    }

    private int[][] allocation(BroadcastJob job, double seconds) {
        int[][] children = ChildAllocation.within(job, degree, seconds);
        for (int shard = 0; depth > 0 && children != null && shard < job.shards(); shard++) {
            int hops = ChildAllocation.depth(children[shard], job.root(shard), job.receivers(shard), degree);
            children = hops > depth ? null : children;
        }
        return children;
    }

    /** The lower bound on the broadcast time that the uplinks of workers and servers set. */
    private static double uplinkBound(BroadcastJob job) {
        double copies = 0;
        double uplinks = 0;
        double slowestRoot = Double.MIN_NORMAL;
        for (int shard = 0; shard < job.shards(); shard++) {
            copies += (double) job.receivers(shard) * job.shardBytes(shard);
            if (job.receivers(shard) > 0) {
                slowestRoot = Math.max(slowestRoot, job.shardBytes(shard) / job.uplink(job.root(shard)));
            }
            for (int site = 0; job.hasPushes() && site < job.sites(); site++) {
                copies += job.pushBytes(shard, site);
            }
        }
        for (int site = 0; site < job.sites(); site++) {
            uplinks += job.uplink(site);
        }
        return Math.max(slowestRoot, copies / uplinks);
    }

    @Override
    public TreePlanner.Limits limits() {
        return new TreePlanner.Limits(degree, depth);
    }

    @Override
    public String name() {
        return DepthLimit.named("rotated", degree, depth);
    }

    private static double seconds(PlanChoice plan) {
        return plan.estimate().finishSeconds();
    }

    /** Chooses by time, then by the time without pushes, then by cost, then by depth. */
    static PlanChoice choose(List<PlanChoice> plans) {
        List<PlanChoice> fastest = PlanChoice.least(plans, RotatedPlanner::seconds, SAME_TIME);
        List<PlanChoice> alone = PlanChoice.least(fastest, plan -> plan.alone().finishSeconds(), SAME_TIME);
        return PlanChoice.least(alone, PlanChoice::cost, ROUNDING).stream()
                .min(Comparator.comparingInt(plan -> plan.forest().depth()))
                .orElseThrow();
    }

    /** The plans so far that keep the depth limit and are as fast as the fastest of them. */
    private final class Best {
        private final BroadcastJob job;
        private List<PlanChoice> fastest = List.of();

        Best(BroadcastJob job) {
            this.job = job;
        }

        void consider(List<RelayTree> candidate) {
            Forest forest = new Forest(name(), candidate);
            if (depth == 0 || forest.depth() <= depth) {
                List<PlanChoice> all = new ArrayList<>(fastest);
                all.add(PlanChoice.of(job, forest));
                fastest = PlanChoice.least(all, RotatedPlanner::seconds, SAME_TIME);
            }
        }

        PlanChoice plan() {
            return choose(fastest);
        }

        /** Predicted time of the best plan in this job: the one to be planned, or the same without pushes. */
        double seconds(BroadcastJob which) {
            return (which.hasPushes() ? plan().estimate() : plan().alone()).finishSeconds();
        }
    }
}
