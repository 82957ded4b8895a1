package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ClusterSettings;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * The numbers of nodes: server k is node k, worker k is node {@code servers + k}. In an elastic job each place has a
 * number, even if it is empty.
 *
 * @param servers places of servers
 * @param workers places of workers
 */
public record NodeIds(int servers, int workers) {
    /**
     * Creates the ids of all places of a cluster.
     *
     * @param terms terms of the cluster
     * @return the numbers
     */
    public static NodeIds of(ClusterSettings terms) {
        return new NodeIds(terms.serverPlaces(), terms.workerPlaces());
    }

    /**
     * The number of all places.
     *
     * @return places of both roles
     */
    public int count() {
        return servers + workers;
    }

    /**
     * The node at a place.
     *
     * @param role  role of the node
     * @param index index of the place among the places of the role
     * @return id of the node
     */
    public int of(Role role, int index) {
        return first(role) + index;
    }

    /**
     * The number of places of a role.
     *
     * @param role role of the nodes
     * @return number of places
     */
    public int places(Role role) {
        return Role.SERVER == role ? servers : workers;
    }

    /**
     * Whether a node is a server.
     *
     * @param node id of the node
     * @return false for a worker
     */
    public boolean isServer(int node) {
        return node < servers;
    }

    /**
     * The role of a node.
     *
     * @param node id of the node
     * @return server or worker
     */
    public Role role(int node) {
        return isServer(node) ? Role.SERVER : Role.WORKER;
    }

    /**
     * Index of a node among the nodes of its role.
     *
     * @param node id of the node
     * @return from 0
     */
    public int index(int node) {
        return node - first(role(node));
    }

    /**
     * The name of a node in messages.
     *
     * @param node id of the node
     * @return for example {@code worker 3}
     */
    public String nameOf(int node) {
        return role(node).configName() + " " + index(node);
    }

    /**
     * The names of nodes in messages.
     *
     * @param role    role of all of them, in the singular
     * @param indices indices of the nodes, one or more
     * @return for example {@code worker 3} or {@code workers 0, 2}
     */
    public static String namesOf(String role, Collection<Integer> indices) {
        return role
                + (indices.size() == 1 ? " " : "s ")
                + indices.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private int first(Role role) {
        return Role.SERVER == role ? 0 : servers;
    }
}
