package io.sluice.messaging.counters;

import io.aeron.Aeron;
import io.aeron.Counter;
import io.aeron.exceptions.RegistrationException;
import java.util.List;

/**
 * Counters requested together from the driver: published all or not at all, since half of a link's counters would give
 * wrong sums. For the publishing thread, except for {@link #close}.
 */
final class CounterBatch {
    private static final int NONE = -1;

    private final long[] registrationIds;
    private final SingleWriterCounter[] counters;
    private final int[] counterIds;
    private final long[] published;
    private int answered;
    private RegistrationException refusal;
    private volatile boolean closed;

    CounterBatch(long[] registrationIds, List<SingleWriterCounter> counters) {
        this.registrationIds = registrationIds;
        this.counters = counters.toArray(SingleWriterCounter[]::new);
        this.counterIds = new int[registrationIds.length];
        this.published = new long[registrationIds.length];
    }

    /** Marks the counters as unused; the publishing thread frees them in its next cycle. For any thread. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether the driver has allocated or refused each counter. */
    boolean isAnswered(Aeron aeron) {
        while (answered < registrationIds.length) {
            int counterId = NONE;
            try {
                Counter counter = aeron.getCounter(registrationIds[answered]);
                if (counter == null) {
                    return false;
                }
                counterId = counter.id();
            } catch (RegistrationException e) {
                refusal = e;
            }
            counterIds[answered++] = counterId;
        }
        return true;
    }

    /** Why the driver refused a counter; null if it refused none. */
    RegistrationException refusal() {
        return refusal;
    }

    /** Stores changed values. Lost counters stay lost. */
    void publish(CounterFile file) {
        for (int i = 0; i < counters.length; i++) {
            long now = counters[i].get();
            if (now != published[i] && counterIds[i] != NONE) {
                if (!file.replace(counterIds[i], registrationIds[i], published[i], now)) {
                    counterIds[i] = NONE;
                }
                published[i] = now;
            }
        }
    }

    /** Frees the counters that the driver has allocated. */
    void free(Aeron aeron) {
        for (int i = 0; i < registrationIds.length; i++) {
            if (counterIds[i] != NONE) {
                aeron.asyncRemoveCounter(registrationIds[i]);
            }
        }
    }
}
