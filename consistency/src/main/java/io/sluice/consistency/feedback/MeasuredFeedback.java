package io.sluice.consistency.feedback;

import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.spi.FilterPolicy;

/** The destination of network measurements for filters. */
public final class MeasuredFeedback {
    private MeasuredFeedback() {}

    /**
     * Where measurements for a node's filters go.
     *
     * @param context of the node
     * @param terms of the cluster
     * @return takes the measurements, or null if none are needed or the context has constants
     */
    public static SettableFeedback of(NodeContext<?> context, ClusterSettings terms) {
        FilterPolicy policy = Policies.filter(terms);
        boolean asked = Protocol.UPDATE == terms.protocol() && (policy.leastRate() > 0 || policy.followsRate());
        return asked && context.measuresNetwork() ? new SettableFeedback() : null;
    }
}
