package io.sluice.consistency.membership;

/**
 * How nodes are numbered: server k is node k, worker k is node {@code servers + k}. Where nodes come and go each place
 * has its number, whether somebody is there or not.
 *
 * @param servers places of servers
 * @param workers places of workers
 */
record NodeIds(int servers, int workers) {

    /** How many there are. */
    int count() {
        return servers + workers;
    }

    int of(Role role, int index) {
        return first(role) + index;
    }

    /** Places of a role. */
    int places(Role role) {
        return Role.SERVER == role ? servers : workers;
    }

    boolean isServer(int node) {
        return node < servers;
    }

    Role role(int node) {
        return isServer(node) ? Role.SERVER : Role.WORKER;
    }

    /** Index of a node among those of its role. */
    int index(int node) {
        return node - first(role(node));
    }

    /** A node as people speak of it, for example {@code worker 3}. */
    String nameOf(int node) {
        return role(node).word() + " " + index(node);
    }

    private int first(Role role) {
        return Role.SERVER == role ? 0 : servers;
    }
}
