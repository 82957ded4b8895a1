package io.sluice.consistency.membership;

import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.tree.BroadcastPlan;
import io.sluice.tree.Place;
import java.util.Arrays;
import java.util.List;

/**
 * The cluster as the coordinator has assembled it: the terms and all nodes.
 *
 * <p>Node ids: server k is node k, worker k is node {@code serverPlaces + k}.
 *
 * @param clusterId id of this run of the cluster; frames that carry another id are foreign
 * @param epoch     epoch in which the cluster welcomed the node with this plan, from 0
 * @param settings  the terms
 * @param nodes     all nodes, in order of id
 * @param start     clock at which the training begins
 */
public record ClusterPlan(long clusterId, int epoch, ClusterSettings settings, List<Place> nodes, StartPoint start) {

    /** Copies the nodes and refuses a list that does not fit the settings. */
    public ClusterPlan {
        nodes = List.copyOf(nodes);
        if (nodes.size() != NodeIds.of(settings).count()) {
            throw new IllegalArgumentException("the plan has " + nodes.size() + " nodes, expected "
                    + settings.serverPlaces() + " servers and " + settings.workerPlaces() + " workers");
        }
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).node() != i) {
                throw new IllegalArgumentException(
                        "node " + nodes.get(i).node() + " is at position " + i + " of the plan");
            }
        }
    }

    /**
     * Creates the plan of a cluster that begins afresh and takes no snapshots.
     *
     * @param clusterId id of this run of the cluster
     * @param epoch     epoch in which the cluster welcomed the node with this plan, from 0
     * @param settings  the terms
     * @param nodes     all nodes, in order of id
     */
    public ClusterPlan(long clusterId, int epoch, ClusterSettings settings, List<Place> nodes) {
        this(clusterId, epoch, settings, nodes, StartPoint.FRESH);
    }

    /**
     * Whether the node with this plan joined while the job was running.
     *
     * @return false for the nodes with which the job began, and in a job that is not elastic
     */
    public boolean isOfNewcomer() {
        return settings.isElastic() && epoch > 0;
    }

    /** Whether the node with this plan has taken the place of a dead one, whose work is repeated to it. */
    public boolean isOfRejoined() {
        return settings.awaitsTheDead() && epoch > 0;
    }

    /**
     * Id of a worker.
     *
     * @param worker index among the workers
     * @return node id
     */
    public int workerNode(int worker) {
        return NodeIds.of(settings).of(Role.WORKER, worker);
    }

    /**
     * Index of a worker.
     *
     * @param node any node id
     * @return index among the workers, negative for a server
     */
    public int workerIndex(int node) {
        return node - settings.serverPlaces();
    }

    /**
     * The servers. In an elastic job some places may be empty.
     *
     * @return the places, in order of index
     */
    public List<Place> servers() {
        return nodes.subList(0, settings.serverPlaces());
    }

    /**
     * The workers. In an elastic job some places may be empty, without an endpoint.
     *
     * @return the places, in order of index
     */
    public List<Place> workers() {
        return nodes.subList(settings.serverPlaces(), nodes.size());
    }

    /**
     * Checks that broadcasts can be planned for any tables, as every node must.
     *
     * @throws IllegalArgumentException naming the limit of the planner, and the first node that it leaves out
     */
    public void requireTrees() {
        if (Protocol.PUSH_PULL != settings.protocol() && (!settings.isElastic() || settings.growsTrees())) {
            List<Place> first = workers().stream()
                    .filter(worker -> !worker.endpoint().isEmpty())
                    .toList();
            long[] shardBytes = new long[settings.serverPlaces()];
            Arrays.fill(shardBytes, 1);
            boolean sharedMemory = TransportKind.IPC == settings.transport();
            BroadcastPlan.of(
                    Policies.planner(settings),
                    servers(),
                    first,
                    sharedMemory,
                    shardBytes,
                    1,
                    Policies.network(settings));
        }
    }

    /**
     * The name of a node in messages.
     *
     * @param node node id
     * @return for example {@code worker 3}
     */
    public String nameOf(int node) {
        return NodeIds.of(settings).nameOf(node);
    }
}
