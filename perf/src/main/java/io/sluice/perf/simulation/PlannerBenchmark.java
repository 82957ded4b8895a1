package io.sluice.perf.simulation;

import io.sluice.perf.JvmFlags;
import io.sluice.tree.planning.BroadcastJob;
import io.sluice.tree.planning.Forest;
import io.sluice.tree.planning.TreePlanner;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.topology.Placement;
import io.sluice.tree.topology.RackNetwork;
import io.sluice.tree.topology.Topology;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Time of planning one broadcast, in milliseconds: racks of 40 hosts, 16 of them under an aggregation switch. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class PlannerBenchmark {
    private static final double GBIT = 125e6;

    /** Name of the planner. */
    @Param({"rotated:2", "auto", "p3:5,6"})
    public String strategy;

    /** Workers. */
    @Param({"100", "1000", "10000"})
    public int workers;

    /** Servers. */
    @Param("10")
    public int servers;

    private TreePlanner planner;
    private BroadcastJob job;

    /** Makes the network; not measured. */
    @Setup
    public void setUp() {
        planner = TreePlanners.named(strategy);
        Topology topology = new RackNetwork(workers + servers, 40, 16, GBIT, 4, 50e-6).topology();
        Placement placement = Placement.spread(topology, servers, workers);
        job = new BroadcastJob(
                topology, placement.servers(), placement.workers(), Placement.shards(64 << 20, servers), 64 << 10, 1);
    }

    /** Plans. */
    @Benchmark
    public Forest plan() {
        return planner.plan(job);
    }
}
