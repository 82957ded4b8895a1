package io.sluice.trials.chaos;

import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Determines which workers relay broadcasts, by their open links. */
final class Relays {
    private static final String WORKER = "worker ";

    private Relays() {}

    /** The relays among some workers; empty while they are not running. */
    static List<ClusterProcess> among(Site site, List<ClusterProcess> workers) {
        Set<String> names = new HashSet<>();
        for (int host = 0; host < site.hosts(); host++) {
            try (DriverView view = DriverView.open(site.driver(host))) {
                view.read().entries().stream()
                        .filter(entry -> entry.type() == CounterType.LINK_FRAMES_SENT
                                && entry.node().startsWith(WORKER)
                                && entry.peer().startsWith(WORKER))
                        .map(CounterReading.Entry::node)
                        .forEach(names::add);
            } catch (MessagingException e) {
                continue; // the media driver has just ended
            }
        }
        return workers.stream().filter(worker -> names.contains(worker.name())).toList();
    }
}
