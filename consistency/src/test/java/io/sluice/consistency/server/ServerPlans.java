package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterPlan;

/** The plans of servers, for tests of other packages. */
public final class ServerPlans {
    private ServerPlans() {}

    /** The plan of the cluster at a server. */
    public static ClusterPlan of(Server server) {
        return server.plan();
    }
}
