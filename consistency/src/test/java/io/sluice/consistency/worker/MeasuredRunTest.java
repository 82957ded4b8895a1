package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.feedback.LinkFeedback;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.ChannelSettings;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real nodes over UDP, whose budgets are the bottleneck: their measurements, and the effect on their filters. */
@Timeout(240)
@Isolated
class MeasuredRunTest {
    /** The window with which a receiver reports every 32 KiB. */
    private static final int WINDOW = 128 << 10;

    private static final int BURST = 8 << 10;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch(new ChannelSettings()
                .ipcTermLength(1 << 20)
                .udpTermLength(1 << 20)
                .receiverWindow(WINDOW));
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms() {
        return TestCluster.terms()
                .servers(1)
                .workers(1)
                .transport(TransportKind.UDP)
                .compressor("none")
                .sliceElements(1_024);
    }

    private static float[] values(int count) {
        SplittableRandom random = new SplittableRandom(1);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextDouble(-1, 1);
        }
        return values;
    }

    private static Map<String, Long> rates() {
        Map<String, Long> rates = new TreeMap<>();
        try (DriverView view = DriverView.open(driver.directory())) {
            for (Entry entry : view.read().entries()) {
                if (CounterType.LINK_RATE == entry.type()) {
                    rates.put(entry.key().name(), entry.value());
                }
            }
        }
        return rates;
    }

    /** In both directions, because the pushes and broadcasts of a clock take longer than several samples. */
    @Test
    @Tag("slow")
    void theEstimateIsTheBudget() {
        double budget = 5e6;
        ClusterSettings settings = terms().linkBudget("40mbit", BURST).build();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 512, 1_024);
            worker.start(Initialiser.ZEROS);
            float[] update = values(512 * 1_024);
            for (int clock = 0; clock < 4; clock++) {
                table.sync();
                table.update(update);
                worker.clock();
            }
            worker.drain();
            Map<String, Long> rates = rates();
            assertEquals(List.of("server 0 to worker 0", "worker 0 to server 0"), List.copyOf(rates.keySet()));
            rates.forEach((link, rate) -> assertEquals(1, rate / budget, 0.1, link + " estimates " + rate));
        });
    }

    /** A relay's link is measured like its push links; budgets are such that no other link is too slow. */
    @Test
    void aSlowLinkOfARelayRaisesItsThreshold() {
        ClusterSettings settings = terms().workers(2)
                .tree("chain")
                .filter("adaptive:0.001,100;min=10mbit")
                .nodeBudget("16mbit", BURST)
                .build();
        Map<Integer, Float> thresholds = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 16, 1_024);
            worker.start(Initialiser.ZEROS);
            float[] update = values(16 * 1_024);
            for (int clock = 0; clock < 9; clock++) {
                table.sync();
                table.update(update);
                worker.clock();
            }
            worker.drain();
            thresholds.put(worker.index(), worker.stats().lastThreshold());
            assertTrue(rates().containsKey("worker 0 to worker 1"), () -> "links that are measured: " + rates());
        });
        assertEquals(100f / 3, thresholds.get(0), 0.01, "it pushes and relays: 8 Mbit/s for each");
        assertEquals(0.001f / 3, thresholds.get(1), 1e-7, "it pushes with 16 Mbit/s");
    }

    /** The stated rate is 10 Mbit/s; a user's own feedback takes precedence over measurements. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "5mbit,  10mbit, false, 100",
        "20mbit, 10mbit, false, 0.001",
        "none,   10mbit, false, 0.001",
        "5mbit,  10mbit, true,  0.001",
    })
    void aRateBelowTheMinimumRaisesTheThreshold(String rate, String minimum, boolean answered, float delta) {
        int clocks = 9;
        ClusterSettings settings = terms().filter("adaptive:0.001,100;min=" + minimum)
                .linkBudget(rate, BURST)
                .build();
        try (TestCluster cluster = TestCluster.start(driver, settings, 1)) {
            cluster.adjust(context -> {
                if (answered) {
                    context.feedback(ConstantFeedback.UNWATCHED);
                }
            });
            cluster.serve(0);
            cluster.train(worker -> {
                Table table = worker.table("w", 16, 1_024);
                worker.start(Initialiser.ZEROS);
                float[] update = values(16 * 1_024);
                for (int clock = 0; clock < clocks; clock++) {
                    table.sync();
                    table.update(update);
                    worker.clock();
                }
                worker.drain();
                assertEquals(delta / 3, worker.stats().lastThreshold(), delta / 1e4);
            });
            cluster.awaitSuccess();
            ServerReport report = cluster.reports().getFirst();
            assertEquals(delta / 3, report.lastThreshold(), delta / 1e4);
        }
    }

    /** The bytes of a clock are those that the link carries in the trainer's time, less the share of other traffic. */
    @Test
    @Tag("slow")
    void theBytesOfAClockFollowFromRateAndTime() {
        ClusterSettings settings =
                terms().filter("budget:auto").linkBudget("8mbit", BURST).build();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 32, 1_024);
            worker.start(Initialiser.ZEROS);
            float[] update = values(32 * 1_024);
            long bytes = 0;
            long ownNs = 0;
            for (int clock = 1; clock <= 24; clock++) {
                long startNs = System.nanoTime() - worker.stats().waitNs();
                long before = worker.bytesPushed();
                table.sync();
                LockSupport.parkNanos(50_000_000);
                table.update(update);
                worker.clock();
                if (clock > 12) {
                    ownNs += System.nanoTime() - worker.stats().waitNs() - startNs;
                    bytes += worker.bytesPushed() - before;
                }
            }
            worker.drain();
            double expected = 1e6 * ownNs / 1e9 * LinkFeedback.SHARE;
            assertTrue(bytes > 0.6 * expected && bytes < 1.4 * expected, bytes + " bytes, expected " + expected);
        });
    }
}
