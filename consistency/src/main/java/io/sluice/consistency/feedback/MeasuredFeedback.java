package io.sluice.consistency.feedback;

import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.spi.FilterPolicy;

/** Makes the feedback that carries network measurements to filters. */
public final class MeasuredFeedback {
    private MeasuredFeedback() {}

    /**
     * Makes the feedback that receives the measurements of a node.
     *
     * @param measures whether the node measures; false if its feedback is constant
     * @param terms    terms of the cluster
     * @return receives the measurements; null if the node does not measure, or no filter needs it
     */
    public static SettableFeedback of(boolean measures, ClusterSettings terms) {
        FilterPolicy policy = Policies.filter(terms);
        boolean asked = Protocol.UPDATE == terms.protocol() && (policy.leastRate() > 0 || policy.followsRate());
        return asked && measures ? new SettableFeedback() : null;
    }
}
