package io.sluice.consistency.wire;

import io.sluice.consistency.membership.Membership;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;
import java.util.function.Consumer;
import org.agrona.ErrorHandler;

/**
 * Counts and reports the children that a sender skips for a while because they take nothing. For the thread that sends.
 */
public final class SkippedChildren implements Consumer<String> {
    private final SingleWriterCounter count;
    private final ErrorHandler told;

    /**
     * Begins without skipped children.
     *
     * @param membership membership of the node that sends
     * @param told       receives each report
     */
    public SkippedChildren(Membership membership, ErrorHandler told) {
        this.count = membership.counters().counter(CounterType.NODE_CHILDREN_SKIPPED);
        this.told = told;
    }

    @Override
    public void accept(String link) {
        count.increment();
        told.onError(new MessagingException("the receiver of link " + link
                + " takes nothing: broadcasts continue without it, and it must ask for them when it is back"));
    }
}
