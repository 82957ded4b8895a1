package io.sluice.peers;

import io.sluice.perf.broadcast.Broadcast;
import io.sluice.perf.broadcast.BroadcastPlan;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Cost;
import io.sluice.perf.cluster.HostTasks;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.lab.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;

/**
 * An alternative to Sluice: Open MPI over TCP, a rank on each host. The servers broadcast their shards to all workers
 * one after the other, so each shard uses the workers' links alone.
 *
 * <p>{@code mpirun} runs on the first host and would start ranks on other hosts by ssh. Instead, a script enters their
 * namespaces and sets a host name for each; otherwise Open MPI would assume that all ranks are on one host.
 */
final class MpiBroadcaster {
    private static final String NETWORK = "10.77.0.0/24";

    private final Cluster cluster;
    private final BroadcastPlan plan;
    private final OpenMpi mpi;
    private final MpiAlgorithm algorithm;

    MpiBroadcaster(Cluster cluster, BroadcastPlan plan, OpenMpi mpi, MpiAlgorithm algorithm) {
        this.cluster = cluster;
        this.plan = plan;
        this.mpi = mpi;
        this.algorithm = algorithm;
    }

    List<Broadcast> turn() throws IOException, InterruptedException {
        ProcessBuilder builder = process();
        try (HostTasks tasks = new HostTasks(1)) {
            FutureTask<List<MpiRun.Took>> task =
                    tasks.start(cluster.serverHost(0), "mpirun", () -> lead(builder, tasks.rendezvous()));
            List<Cost> costs = Cost.ofTrials(plan.trials(), cluster.lab(), tasks.rendezvous());
            List<MpiRun.Took> took = tasks.results(List.of(task)).getFirst();
            List<Broadcast> broadcasts = new ArrayList<>();
            for (int trial = 0; trial < plan.trials(); trial++) {
                // The ranks are processes of their own.
                Cost cost = costs.get(trial).withCpuSeconds(took.get(trial).cpuSeconds());
                broadcasts.add(new Broadcast(took.get(trial).seconds(), cost));
            }
            return broadcasts;
        }
    }

    private List<MpiRun.Took> lead(ProcessBuilder builder, Rendezvous rendezvous)
            throws IOException, InterruptedException {
        List<MpiRun.Took> took = new ArrayList<>();
        try (MpiRun run = new MpiRun(builder)) {
            for (int trial = 0; trial < plan.trials(); trial++) {
                run.awaitReady();
                rendezvous.await();
                rendezvous.await();
                took.add(run.broadcast());
                rendezvous.await();
                rendezvous.await();
                run.goOn();
            }
            run.awaitEnd();
        }
        return took;
    }

    private ProcessBuilder process() throws IOException {
        List<Host> hosts = cluster.lab().hosts();
        Path agent = mpi.folder().resolve("agent.sh");
        Files.writeString(agent, agent(hosts));
        agent.toFile().setExecutable(true, true);
        String names = hosts.stream().map(Host::address).collect(Collectors.joining(","));
        List<String> words =
                new ArrayList<>(List.of(agent.toString(), hosts.getFirst().address()));
        words.addAll(
                mpi.command(plan.servers(), plan.workers(), plan.bytes(), plan.trials(), List.of("--host", names)));
        ProcessBuilder builder = new ProcessBuilder(words);
        Map<String, String> parameters = new HashMap<>(algorithm.parameters());
        parameters.put("plm_rsh_agent", agent.toString());
        parameters.put("plm_rsh_no_tree_spawn", "1");
        parameters.put("pml", "ob1");
        parameters.put("btl", "self,tcp");
        parameters.put("btl_tcp_if_include", NETWORK);
        parameters.put("oob_tcp_if_include", NETWORK);
        OpenMpi.set(builder, parameters);
        return builder;
    }

    /** The script takes an address and a command, as ssh does. */
    private static String agent(List<Host> hosts) {
        String cases = hosts.stream()
                .map(host -> host.address() + ") namespace=" + host.namespace() + ";;\n")
                .collect(Collectors.joining());
        return """
            #!/bin/sh
            host=$1
            shift
            case "$host" in
            %sesac
            PATH=$PATH:/usr/sbin:/sbin
            export PATH
            exec unshare --uts /bin/sh -c \
            'echo "$0" > /proc/sys/kernel/hostname && exec ip netns exec "$1" /bin/sh -c "$2"' \
            "$host" "$namespace" "$*"
            """.formatted(cases);
    }
}
