package io.sluice.trials.chaos;

import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;

/** Counts the frames that nodes have rejected, by their counters. */
final class Refusals {
    private static final long POLL_MS = 200;
    private static final int MOST_POLLS = 50;

    private Refusals() {}

    /** Number of frames that all running nodes have rejected. */
    static long at(Site site) {
        long sum = 0;
        for (int host = 0; host < site.hosts(); host++) {
            try (DriverView view = DriverView.open(site.driver(host))) {
                sum += view.read().entries().stream()
                        .filter(entry -> entry.type() == CounterType.INBOX_REJECTED)
                        .mapToLong(CounterReading.Entry::value)
                        .sum();
            } catch (MessagingException e) {
                continue; // the media driver was just killed, so its counters no longer exist
            }
        }
        return sum;
    }

    /** Number of rejected frames, once nodes have processed the frames in flight. */
    static long settled(Site site) throws InterruptedException {
        long before = at(site);
        for (int i = 0; i < MOST_POLLS; i++) {
            Thread.sleep(POLL_MS);
            long now = at(site);
            if (now == before) {
                return now;
            }
            before = now;
        }
        return before;
    }
}
