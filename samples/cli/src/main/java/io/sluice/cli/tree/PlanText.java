package io.sluice.cli.tree;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Prints a plan for people: figures, then trees, unless they take too many lines. */
final class PlanText {
    /** Maximum number of hosts over all trees for which each host gets a line. */
    private static final int MOST_LINES = 120;

    private static final double PERCENT = 100;

    private final BroadcastJob job;
    private final Forest plan;
    private final PlanReport report;

    PlanText(BroadcastJob job, Forest plan, PlanReport report) {
        this.job = job;
        this.plan = plan;
        this.report = report;
    }

    void print(PrintWriter out) {
        out.printf(
                "%s: %,d bytes from %,d servers to %,d hosts in frames of %,d bytes%n",
                report.strategy(),
                report.bytes(),
                report.servers(),
                IntStream.range(0, job.sites()).filter(job::hasWorkers).count(),
                report.frameBytes());
        printSharedHosts(out);
        if (!report.reason().isEmpty()) {
            out.printf("  why         %s%n", report.reason());
        }
        out.printf(
                "  finish      %.4g s predicted: %.4g s %s, %.4g s for a frame to the last host%n",
                report.finishSeconds(), report.linkSeconds(), report.link(), report.fillSeconds());
        out.printf("  bound       %.4g s: %s%n", report.boundSeconds(), report.bound());
        out.printf("  gap         %.1f %% above the bound%n", PERCENT * report.gap());
        out.printf(
                "  shape       cost %.2f, depth %d, up to %d children in a tree, up to %,d bytes over one uplink%n",
                report.cost(), report.depth(), report.children(), report.maxUplinkBytes());
        if (report.objective() != null) {
            out.printf(
                    "  P3          objective %.2f, lower bound %.2f, gap %.1f %%%n",
                    report.objective(), report.objectiveBound(), PERCENT * report.objectiveGap());
        }
        out.printf("  planned in  %.3f s%n", report.planSeconds());
        long lines = plan.trees().stream().mapToLong(RelayTree::size).sum();
        if (lines <= MOST_LINES) {
            plan.trees().forEach(tree -> printTree(out, tree));
        } else {
            out.printf("%nhosts at depth 1, 2 and so on:%n");
            plan.trees().stream().limit(MOST_LINES / 4).forEach(tree -> printLevels(out, tree));
            out.printf("%s", "for every host, see the JSON (--json) or the picture (--svg)\n");
        }
    }

    /**
     * Prints how many hosts have several workers: a host gets one copy for all its workers, so too few hosts make a
     * plan look cheap.
     */
    private void printSharedHosts(PrintWriter out) {
        int workers = IntStream.range(0, job.sites()).map(job::workers).sum();
        long hosts = IntStream.range(0, job.sites()).filter(job::hasWorkers).count();
        int beside = IntStream.range(0, job.shards())
                .map(job::root)
                .distinct()
                .map(job::workers)
                .sum();
        if (workers > hosts || beside > 0) {
            out.printf("  workers     %,d on %,d hosts, %,d of them beside servers%n", workers, hosts, beside);
        }
    }

    private void printTree(PrintWriter out, RelayTree tree) {
        out.printf("%nshard %d, %,d bytes%n", tree.shard(), tree.bytes());
        Deque<int[]> open = new ArrayDeque<>();
        open.push(new int[] {tree.root(), 1});
        while (!open.isEmpty()) {
            int[] spot = open.pop();
            out.printf("%s%s%n", "  ".repeat(spot[1]), job.name(spot[0]));
            for (int i = tree.degree(spot[0]) - 1; i >= 0; i--) {
                open.push(new int[] {tree.child(spot[0], i), spot[1] + 1});
            }
        }
    }

    private void printLevels(PrintWriter out, RelayTree tree) {
        int[] depths = new int[job.sites()];
        int[] levels = new int[tree.depth() + 1];
        for (int place = 1; place < tree.size(); place++) {
            int site = tree.order(place);
            depths[site] = depths[tree.parent(site)] + 1;
            levels[depths[site]]++;
        }
        String text = IntStream.of(levels)
                .skip(1)
                .limit(40)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(" "));
        out.printf(
                "  shard %d from %s: %s%s%n",
                tree.shard(), job.name(tree.root()), text, levels.length > 41 ? " ..." : "");
    }
}
