package io.sluice.perf.cluster;

import io.sluice.perf.lab.LabEvent;
import java.time.Duration;
import java.util.List;

/**
 * The properties of links besides their initial rate.
 *
 * @param queue      longest wait on a link before it drops packets
 * @param ratesKnown whether nodes and media drivers are configured with the rates
 * @param events     changes of links, by time after the first trial of a turn begins
 */
public record LinkConditions(Duration queue, boolean ratesKnown, List<LabEvent> events) {
    /** Queues that hold the window that all senders over a link share, known rates, and no changes. */
    static final LinkConditions DEFAULT = new LinkConditions(Duration.ofMillis(200), true, List.of());

    /** Describes the conditions in a sentence, for people. */
    String sentence() {
        String known = ratesKnown ? "nodes know the rates of their links" : "nodes know no rate";
        String changes = events.isEmpty() ? "" : "; links change: " + events;
        return "queues of links hold " + queue.toMillis() + " ms; " + known + changes;
    }
}
