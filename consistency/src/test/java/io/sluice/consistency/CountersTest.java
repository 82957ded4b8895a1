package io.sluice.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.CounterType.Scope;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes publish the same counts while they run as they report at the end. */
@Timeout(240)
class CountersTest {
    private static final int CLOCKS = 40;

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(TransportKind.class)
    void equalTheReports(TransportKind transport) {
        ClusterSettings settings =
                TestCluster.terms().transport(transport).compressor("lz4").build();
        CyclicBarrier barrier = new CyclicBarrier(settings.workers());
        AtomicReference<CounterReading> last = new AtomicReference<>();
        try (TestDriver driver = TestDriver.launch()) {
            List<ServerReport> reports = TestCluster.run(driver, settings, worker -> {
                train(worker);
                barrier.await(60, TimeUnit.SECONDS);
                awaitServers(driver, settings);
                Deadline.eventually(() -> requireWorker(read(driver), worker));
                last.set(awaitQuiet(driver));
                barrier.await(60, TimeUnit.SECONDS);
            });
            for (int server = 0; server < reports.size(); server++) {
                requireServer(last.get(), server, reports.get(server), settings);
            }
            requireComplete(last.get(), settings);
            Deadline.await(
                    "the counters of all but the driver are gone",
                    () -> read(driver).entries().stream()
                            .allMatch(entry -> entry.type().scope() == Scope.DRIVER));
        }
    }

    /**
     * The counter of waiting grows while a worker waits. Otherwise a reader would see more than an interval of waiting
     * in the interval in which a long wait ends.
     */
    @Test
    void aWaitCountsWhileItLasts() {
        ClusterSettings settings = TestCluster.terms().servers(1).workers(2).build();
        CyclicBarrier barrier = new CyclicBarrier(settings.workers());
        try (TestDriver driver = TestDriver.launch()) {
            TestCluster.run(driver, settings, worker -> {
                Table table = worker.table("w", 20, 20);
                worker.start(Initialiser.ZEROS);
                table.sync();
                barrier.await(60, TimeUnit.SECONDS);
                if (worker.index() == 1) { // the other one waits for this one's push
                    long first = waited(driver);
                    Deadline.await("the wait of worker 0 counts", () -> waited(driver) > first);
                }
                worker.clock();
                worker.drain();
            });
        }
    }

    private static long waited(TestDriver driver) {
        return sum(read(driver), CounterType.NODE_WAIT_TIME, "worker 0", "worker 0", "");
    }

    private static void train(Worker worker) {
        Table table = worker.table("w", 20, 20);
        worker.start(Initialiser.ZEROS);
        float[] update = new float[400];
        for (int clock = 0; clock < CLOCKS; clock++) {
            table.sync();
            update[(worker.index() + clock * 7) % update.length] = 1;
            table.update(update);
            worker.clock();
        }
        worker.drain();
    }

    private static CounterReading read(TestDriver driver) {
        try (DriverView view = DriverView.open(driver.directory())) {
            return view.read();
        }
    }

    private static void awaitServers(TestDriver driver, ClusterSettings settings) {
        Deadline.await("all servers are at the last clock", () -> {
            CounterReading reading = read(driver);
            return IntStream.range(0, settings.servers())
                    .mapToObj(server -> "server " + server)
                    .allMatch(node -> CLOCKS == sum(reading, CounterType.NODE_CLOCK, node, node, ""));
        });
    }

    /**
     * Waits until no counter has changed for 200 ms, because servers publish their last counts some milliseconds later.
     */
    private static CounterReading awaitQuiet(TestDriver driver) {
        CounterReading last = read(driver);
        for (int same = 0; same < 20; ) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            CounterReading now = read(driver);
            same = ofServers(now).equals(ofServers(last)) ? same + 1 : 0;
            last = now;
        }
        return last;
    }

    private static List<Entry> ofServers(CounterReading reading) {
        return reading.entries().stream()
                .filter(entry -> entry.type().scope() != CounterType.Scope.AGENT)
                .filter(entry -> entry.key().name().startsWith("server"))
                .toList();
    }

    private static long sum(CounterReading reading, CounterType type, String node, String name, String detail) {
        return reading.entries().stream()
                .filter(entry -> entry.type() == type && entry.node().equals(node))
                .filter(entry -> entry.key().name().startsWith(name))
                .filter(entry -> entry.key().detail().startsWith(detail))
                .mapToLong(Entry::value)
                .sum();
    }

    private static void requireWorker(CounterReading reading, Worker worker) {
        String node = "worker " + worker.index();
        assertEquals(worker.bytesPushed(), sum(reading, CounterType.LINK_BYTES_SENT, node, node + " to", ""));
        assertEquals(
                worker.stats().framesPushed(), sum(reading, CounterType.LINK_FRAMES_SENT, node, node + " to", "data"));
        assertEquals(CLOCKS, sum(reading, CounterType.NODE_CLOCK, node, node, ""));
        assertEquals(worker.stats().elementsOffered(), sum(reading, CounterType.NODE_ELEMENTS_OFFERED, node, node, ""));
        assertEquals(
                worker.stats().elementsKept(),
                sum(reading, CounterType.NODE_ELEMENTS_KEPT, node, node, "")
                        - sum(reading, CounterType.NODE_ELEMENTS_TAKEN_BACK, node, node, ""));
        assertEquals(worker.compression().bytesSaved(), sum(reading, CounterType.NODE_BYTES_SAVED, node, node, ""));
        long decoded = worker.stats().bytesDecoded();
        assertTrue(decoded > 0, "nothing was applied");
        assertEquals(decoded, sum(reading, CounterType.NODE_BYTES_DECODED, node, node, "trainer"));
        assertEquals(worker.framesRejected(), sum(reading, CounterType.INBOX_REJECTED, node, "", ""));
    }

    private static void requireServer(
            CounterReading reading, int server, ServerReport report, ClusterSettings settings) {
        String node = "server " + server;
        int receivers = TransportKind.IPC == settings.transport() ? settings.workers() : 1;
        assertEquals(
                report.bytesBroadcast(), receivers * sum(reading, CounterType.LINK_BYTES_SENT, node, node + " to", ""));
        assertEquals(
                report.framesBroadcast(),
                receivers * sum(reading, CounterType.LINK_FRAMES_SENT, node, node + " to", "data"));
        assertEquals(report.version(), sum(reading, CounterType.NODE_CLOCK, node, node, ""));
    }

    /** Requires that every node has counters of its agents, and that each agent has worked. */
    private static void requireComplete(CounterReading reading, ClusterSettings settings) {
        Set<String> agents = reading.entries().stream()
                .filter(entry -> entry.type() == CounterType.AGENT_MAX_CYCLE && entry.value() > 0)
                .map(entry -> entry.node() + "/" + entry.key().name())
                .collect(Collectors.toSet());
        assertTrue(agents.contains("server 0/coordinator"), agents.toString());
        for (int server = 0; server < settings.servers(); server++) {
            assertTrue(agents.contains("server " + server + "/server"), agents.toString());
            assertTrue(agents.contains("server " + server + "/membership"), agents.toString());
        }
        for (int worker = 0; worker < settings.workers(); worker++) {
            assertTrue(agents.contains("worker " + worker + "/update"), agents.toString());
            assertTrue(agents.contains("worker " + worker + "/sync"), agents.toString());
        }
    }
}
