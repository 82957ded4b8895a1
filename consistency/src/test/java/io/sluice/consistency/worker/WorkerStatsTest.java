package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestDriver;
import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.Counters;
import io.sluice.messaging.counters.SingleWriterCounter;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class WorkerStatsTest {
    private static final long SEED = 20_261_121;

    /** Readers of counters compute rates from their differences. */
    @Test
    void noCounterDecreasesWhenUpdatesAreTakenBack() {
        try (TestDriver driver = TestDriver.launch();
                Transport transport = Transport.connect(new Transport.Context().directory(driver.directory()))) {
            Counters counters = transport.counters();
            CounterGroup node = counters.node("worker 0");
            WorkerStats stats = new WorkerStats(node, counters.agent("update"), counters.agent("sync"));
            List<SingleWriterCounter> counts = Stream.of(CounterType.values())
                    .filter(type -> type.scope() == CounterType.Scope.NODE)
                    .filter(type -> type.meaning() == CounterType.Meaning.COUNT)
                    .map(node::counter)
                    .toList();
            SplittableRandom random = new SplittableRandom(SEED);
            long onTheWire = 0;
            for (int i = 0; i < 1_000; i++) {
                List<Long> before =
                        counts.stream().map(SingleWriterCounter::get).toList();
                int kept = random.nextInt(100);
                boolean early = random.nextBoolean();
                if (early) {
                    stats.onEarly(kept);
                } else {
                    stats.onSlice(100, kept, kept > 0);
                }
                onTheWire += kept;
                if (random.nextInt(3) == 0) {
                    stats.onTakenBack(kept, early);
                    onTheWire -= kept;
                }
                for (int count = 0; count < before.size(); count++) {
                    assertTrue(counts.get(count).get() >= before.get(count), "seed " + SEED + ", step " + i);
                }
                assertEquals(onTheWire, stats.elementsKept(), "seed " + SEED + ", step " + i);
            }
        }
    }
}
