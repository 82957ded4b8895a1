package io.sluice.consistency.feedback;

import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.filter.feedback.SettableFeedback;
import java.util.function.Function;

/** Creates the feedback that carries network measurements to filters. */
public final class MeasuredFeedback {
    private MeasuredFeedback() {}

    /**
     * Creates the feedback that receives the measurements of a node.
     *
     * @param measures whether the node measures; false if its feedback is constant
     * @param terms    terms of the cluster
     * @param filter   filters of the node's direction
     * @return receives the measurements; null if the node does not measure, or no filter needs it
     */
    public static SettableFeedback of(boolean measures, ClusterSettings terms, Function<TableTerms, String> filter) {
        Policies.Needs needs = Policies.needs(terms, filter);
        boolean asked = Protocol.UPDATE == terms.protocol() && (needs.leastRate() > 0 || needs.followsRate());
        return asked && measures ? new SettableFeedback() : null;
    }
}
