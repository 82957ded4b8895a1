package io.sluice.tree.planning;

import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.CpSolverStatus;
import com.google.ortools.sat.IntVar;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.LinearExprBuilder;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.topology.Topology;
import java.util.Arrays;

/**
 * The problem of {@link CheapestTreePlanner} for CP-SAT, in counts: sites at one edge switch are equivalent, so only
 * the numbers matter: how many of a rack are inner sites or leaves at each depth, and how many hops into them come from
 * the rack, from under the aggregation switch, or from elsewhere. Exact for costs by location if no server shares a
 * host with a worker. Costs in tenths.
 */
final class GroupedModel {
    private static final int PENALTY = 2;

    private final CpModel model = new CpModel();
    private final LinearExprBuilder objective = LinearExpr.newBuilder();
    private final Topology topology;
    private final int degree;
    private final int depth;
    private final int[] sizes;
    private final IntVar[][] inner;
    private final IntVar[][] reached;

    private GroupedModel(BroadcastJob job, int degree, int depth) {
        this.topology = job.topology();
        this.degree = degree;
        this.depth = depth;
        int racks = topology.edges().size();
        this.sizes = new int[racks];
        this.inner = new IntVar[racks][depth + 1];
        this.reached = new IntVar[racks][depth + 1];
        int[] rootCosts = new int[racks];
        SiteCosts costs = new SiteCosts(job);
        for (int site = 0; site < job.sites(); site++) {
            if (job.hasWorkers(site)) {
                sizes[job.edge(site)]++;
                rootCosts[job.edge(site)] = (int) Math.round(10 * costs.of(costs.servers(), site));
            }
        }
        addSites(rootCosts);
        for (int level = 2; level <= depth; level++) {
            addHops(level);
        }
    }

    /** The minimum of the objective. */
    static double optimum(BroadcastJob job, int degree, int depth) {
        GroupedModel grouped = new GroupedModel(job, degree, depth);
        grouped.model.minimize(grouped.objective);
        CpSolver solver = new CpSolver();
        solver.getParameters().setNumWorkers(1);
        solver.getParameters().setMaxTimeInSeconds(60);
        CpSolverStatus status = solver.solve(grouped.model);
        if (status != CpSolverStatus.OPTIMAL) {
            throw new IllegalStateException("CP-SAT ends with " + status);
        }
        return solver.objectiveValue() / 10;
    }

    private void addSites(int[] rootCosts) {
        LinearExprBuilder first = LinearExpr.newBuilder();
        for (int rack = 0; rack < sizes.length; rack++) {
            LinearExprBuilder all = LinearExpr.newBuilder();
            for (int level = 1; level <= depth; level++) {
                inner[rack][level] = count(level == depth ? 0 : sizes[rack]);
                reached[rack][level] = count(sizes[rack]);
                IntVar leaves = count(sizes[rack]);
                all.add(reached[rack][level]);
                model.addEquality(reached[rack][level], LinearExpr.sum(new IntVar[] {inner[rack][level], leaves}));
                objective.addTerm(leaves, PENALTY);
            }
            model.addEquality(all, sizes[rack]);
            first.add(reached[rack][1]);
            objective.addTerm(reached[rack][1], rootCosts[rack]);
        }
        model.addLinearConstraint(first, 1, degree);
    }

    /** Hops to one level from the one above it. */
    private void addHops(int level) {
        int pods = topology.aggregations().size();
        LinearExprBuilder core = LinearExpr.newBuilder();
        LinearExprBuilder[] pod = new LinearExprBuilder[pods];
        for (int i = 0; i < pods; i++) {
            pod[i] = LinearExpr.newBuilder();
        }
        int all = Arrays.stream(sizes).sum();
        for (int rack = 0; rack < sizes.length; rack++) {
            IntVar within = count(sizes[rack]);
            IntVar fromPod = count(sizes[rack]);
            IntVar fromCore = count(sizes[rack]);
            IntVar toPod = count(all);
            IntVar toCore = count(all);
            model.addEquality(reached[rack][level], LinearExpr.sum(new IntVar[] {within, fromPod, fromCore}));
            LinearExpr children = LinearExpr.sum(new IntVar[] {within, toPod, toCore});
            model.addGreaterOrEqual(children, inner[rack][level - 1]);
            model.addLessOrEqual(children, LinearExpr.term(inner[rack][level - 1], degree));
            pod[topology.edges().get(rack).above()].add(toPod).addTerm(fromPod, -1);
            core.add(toCore).addTerm(fromCore, -1);
            objective.addTerm(within, 1).addTerm(fromPod, 5).addTerm(fromCore, 10);
        }
        for (LinearExprBuilder balance : pod) {
            model.addEquality(balance, 0);
        }
        model.addEquality(core, 0);
    }

    private IntVar count(int most) {
        return model.newIntVar(0, most, "");
    }
}
