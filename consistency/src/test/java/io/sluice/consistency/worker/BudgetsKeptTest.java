package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.Settings;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In every span of time no link, or no node, sends more than its rate allows plus one burst. */
@Timeout(240)
class BudgetsKeptTest {
    private static final long RATE = 4_000_000;
    private static final int BURST = 1_000;
    /** A thread publishes counters every 10 ms when the scheduler wakes it, so values may be that old. */
    private static final double LAG_SECONDS = 0.2;

    private static final Pattern DATA_LINK =
            Pattern.compile("((?:server|worker) \\d+) to (?:(?:server|worker) .*|the workers of this host)");

    private static final int ROUNDS = 100;

    private static final int STEPS = 2;

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "tap,   shared,    node, ipc, update,    flat",
        "bsp,   dedicated, node, udp, push-pull, flat",
        "bsp,   dedicated, link, udp, managed,   flat",
        "ssp:2, invoker,   node, udp, managed,   flat",
        "bsp,   dedicated, link, udp, update,    rotated:2",
        "ssp:2, dedicated, node, udp, update,    chain",
    })
    void inEverySpanOfTime(String consistency, String mode, String whose, String medium, String protocol, String tree) {
        boolean perLink = "link".equals(whose);
        ClusterSettings settings = TestCluster.terms()
                .consistency(consistency)
                .protocol(Settings.constant("protocol", protocol, Protocol.class))
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .compressor("none")
                .tree(tree)
                .linkBudget(perLink ? "4mbit" : "none", BURST)
                .nodeBudget(perLink ? "none" : "4mbit", BURST)
                .build();
        Watch watch = new Watch(perLink);
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.adjustWorkers(worker ->
                    worker.sending(ThreadingMode.valueOf(mode.toUpperCase())).outboxFrames(8));
            CompletableFuture<Void> watching = CompletableFuture.runAsync(() -> watch.run(driver));
            try {
                cluster.train(BudgetsKeptTest::train);
                cluster.awaitSuccess();
            } finally {
                watch.over.set(true);
                watching.join();
            }
        }
        int nodes = settings.servers() + settings.workers();
        assertTrue(watch.senders().size() >= nodes, "all nodes have sent: " + watch.senders());
        watch.requireKept();
    }

    @Tag("trial")
    @ParameterizedTest
    @CsvSource({
        "bsp,   dedicated, link, udp, update,    flat",
        "ssp:2, invoker,   node, udp, update,    flat",
        "ssp:2, invoker,   node, udp, managed,   chain",
    })
    void withMoreTerms(String consistency, String mode, String whose, String medium, String protocol, String tree) {
        inEverySpanOfTime(consistency, mode, whose, medium, protocol, tree);
    }

    private static void train(Worker worker) {
        Table table = worker.table("w", 40, 40);
        worker.start(Initialiser.ZEROS);
        float[] update = new float[1_600];
        for (int round = 1; round <= ROUNDS; round++) {
            Arrays.fill(update, round);
            table.sync();
            for (int step = 0; step < STEPS; step++) {
                table.accumulate(update);
                worker.work();
            }
            if (ROUNDS == round && worker.settings().isManaged()) { // thresholds are known after these clocks
                Deadline.await("the budget is unused, and a slice is sent early", () -> {
                    worker.work();
                    return worker.stats().framesEarly() > 0;
                });
            }
            worker.clock();
        }
        worker.drain();
        assertEquals(STEPS * worker.workers() * ROUNDS * (ROUNDS + 1) / 2, table.get(0, 0));
        assertEquals(worker.settings().isManaged(), worker.stats().framesEarly() > 0, "frames were sent early");
    }

    /** Reads repeatedly how many bytes each sender has sent. */
    private static final class Watch {
        final AtomicBoolean over = new AtomicBoolean();
        private final boolean perLink;
        private final List<Sample> samples = new ArrayList<>();

        Watch(boolean perLink) {
            this.perLink = perLink;
        }

        void run(TestDriver driver) {
            try (DriverView view = DriverView.open(driver.directory())) {
                while (!over.get()) {
                    long beforeNs = System.nanoTime();
                    Map<String, Long> bytes = new HashMap<>();
                    for (Entry entry : view.read().entries()) {
                        add(bytes, entry);
                    }
                    samples.add(new Sample(beforeNs, System.nanoTime(), bytes));
                    LockSupport.parkNanos(20_000_000); // a reading takes milliseconds of a processor
                }
            }
        }

        /**
         * Data links are named after both ends; those to the coordinator and to a relay's own trainer have no budget.
         * The name, not {@link Entry#node}, identifies the owner of a link, because a node that ends frees its counters
         * one by one.
         */
        private void add(Map<String, Long> bytes, Entry entry) {
            String name = entry.key().name();
            Matcher ends = DATA_LINK.matcher(name);
            if (entry.type() == CounterType.LINK_BYTES_SENT && ends.matches()) {
                // A worker may relay to another in several trees: one link, and one budget, for each.
                String link = name + ", link " + entry.key().registrationId();
                bytes.merge(perLink ? link : ends.group(1), entry.value(), Long::sum);
            }
        }

        TreeSet<String> senders() {
            TreeSet<String> senders = new TreeSet<>();
            samples.forEach(sample -> senders.addAll(sample.bytes.keySet()));
            return senders;
        }

        void requireKept() {
            for (String sender : senders()) {
                long most = 0;
                for (int j = 0; j < samples.size(); j++) {
                    most = Math.max(most, samples.get(j).of(sender));
                    for (int i = 0; i < j; i++) {
                        requireKept(sender, samples.get(i), samples.get(j));
                    }
                }
                // A server that is busy sends several rounds as one.
                assertTrue(
                        sender.startsWith("server") || most > 3 * LAG_SECONDS * RATE / 8,
                        sender + " has sent " + most + " bytes: too few to be bounded");
            }
        }

        private static void requireKept(String sender, Sample from, Sample to) {
            long bytes = to.of(sender) - from.of(sender);
            double seconds = (to.afterNs - from.beforeNs) / 1e9;
            double allowed = (seconds + LAG_SECONDS) * RATE / 8 + BURST;
            assertTrue(
                    bytes <= allowed,
                    () -> sender + " sent " + bytes + " bytes in " + seconds + " s, allowed " + allowed);
        }
    }

    /** The bytes sent at some time between two readings. */
    private record Sample(long beforeNs, long afterNs, Map<String, Long> bytes) {
        long of(String sender) {
            return bytes.getOrDefault(sender, 0L);
        }
    }
}
