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
    private final ErrorHandler errorHandler;

    /**
     * Begins without skipped children.
     *
     * @param membership   membership of the node that sends
     * @param errorHandler receives each report
     */
    public SkippedChildren(Membership membership, ErrorHandler errorHandler) {
        this.count = membership.counters().counter(CounterType.NODE_CHILDREN_SKIPPED);
        this.errorHandler = errorHandler;
    }

    @Override
    public void accept(String link) {
        count.increment();
        errorHandler.onError(new MessagingException("the receiver of link " + link
                + " takes no frames: broadcasts continue without it, and it must request missing"
                + " frames once it reads again"));
    }
}
