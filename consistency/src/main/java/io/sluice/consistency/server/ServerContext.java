package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.NodeContext;

/** Settings of a {@link Server}. */
public final class ServerContext extends NodeContext<ServerContext> {
    private ClusterSettings settings;

    /** Settings with their defaults: a server that joins a cluster. */
    public ServerContext() {}

    @Override
    protected ServerContext self() {
        return this;
    }

    /**
     * Makes this server the one that coordinates the cluster, under these terms, at the address {@link #cluster()}.
     *
     * @param terms the terms; null to join a cluster that another server coordinates
     * @return this
     */
    public ServerContext coordinate(ClusterSettings terms) {
        settings = terms;
        return this;
    }

    /** The coordinator's own server is server 0, whoever else joins first. */
    @Override
    public void conclude() {
        if (null != settings) {
            if (index() > 0) {
                throw new IllegalArgumentException(
                        "index is " + index() + ", expected 0 or -1: the server that coordinates is server 0");
            }
            index(0);
        }
        super.conclude();
    }

    /** The terms if this server coordinates, else null. */
    public ClusterSettings coordinate() {
        return settings;
    }
}
