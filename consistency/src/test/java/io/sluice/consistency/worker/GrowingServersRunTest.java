package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TransportKind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers join and leave while a job runs. At every version, the replicas are bit-identical to those of a run without
 * such changes.
 */
@Timeout(240)
class GrowingServersRunTest {
    private static final int STEPS = 5;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "2, 2, ipc, none, sum, f32, random:3, false",
        "1, 2, udp, none, sum, f32, layer, true",
        "1, 3, udp, dvf:1.5, sum, bf16, fifo, true",
        "2, 4, ipc, none, adarevision:0.4, f32, fifo, false",
        "2, 4, ipc, dvf:1.5, mean;weighted, f32, fifo, false",
        "1, 3, udp, dvf:0.1, adam:0.1, bf16, fifo, false",
    })
    void allVersionsAreThoseOfAnUndisturbedRun(
            int servers,
            int places,
            String medium,
            String filter,
            String rule,
            String values,
            String order,
            boolean sealed) {
        Property.holds(1, random -> {
            int workers = random.nextInt(1, 4);
            ClusterSettings settings = TestCluster.terms()
                    .servers(servers)
                    .serverPlaces(places)
                    .workers(workers)
                    .places(workers)
                    .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                    .filter(filter)
                    .rule(rule)
                    .rule(VersionedTraining.SHAPES.getFirst().name(), "sum") // tables then hand over unlike state
                    .values(values)
                    .order(order)
                    .seal(sealed)
                    .build();
            Updates updates = new Updates(random.nextLong(), VersionedTraining.SHAPES);
            VersionedTraining changed = new VersionedTraining(driver, settings, updates);
            new Changes(changed, random).play();
            VersionedTraining undisturbed = new VersionedTraining(driver, settings, updates);
            undisturbed.endAt(changed.end());
            undisturbed.play(() -> {});
            changed.requireBitsOf(undisturbed);
        });
    }

    @Tag("trial")
    @ParameterizedTest
    @CsvSource({"1, 3, ipc, none", "2, 4, udp, none", "2, 4, ipc, dvf:1.5"})
    void allVersionsAreThoseOfAnUndisturbedRunOfSums(int servers, int places, String medium, String filter) {
        allVersionsAreThoseOfAnUndisturbedRun(servers, places, medium, filter, "sum", "f32", "fifo", false);
    }

    /** Servers join and leave in turn, without waiting for the change before. */
    private static final class Changes {
        private final VersionedTraining training;
        private final TestCluster cluster;
        private final SplittableRandom random;
        private final int places;
        private final BitSet present = new BitSet();

        /** By place, its server, and how many servers have joined there. */
        private final Map<Integer, String> names = new HashMap<>();

        private final int[] comings;
        private final List<String> leavers = new ArrayList<>();
        private int comers;

        Changes(VersionedTraining training, SplittableRandom random) {
            this.training = training;
            this.cluster = training.cluster();
            this.random = random;
            this.places = cluster.settings().serverPlaces();
            this.comings = new int[places];
            present.set(0, cluster.settings().servers());
            present.stream().forEach(server -> names.put(server, "server " + server));
        }

        void play() {
            training.play(this::change);
            assertTrue(
                    cluster.reports().stream()
                            .anyMatch(report -> !report.moves().isEmpty()),
                    comers + " servers joined");
        }

        private void change() {
            training.awaitClock(cluster.settings().servers() > 1 ? 1 : 0); // server 1 joins by index, others do not
            for (int step = 0; step < STEPS; step++) {
                training.awaitClock(training.furthest() + random.nextLong(0, 30));
                boolean isFull = present.cardinality() == places;
                if (isFull || present.cardinality() > 1 && random.nextInt(3) == 0) {
                    drain(random.ints(1, places)
                            .filter(present::get)
                            .findFirst()
                            .orElseThrow());
                } else {
                    add();
                }
            }
            present.stream().forEach(this::awaitSlices);
            training.requireSuccess(leavers.toArray(String[]::new));
            training.endSoon();
        }

        private void add() {
            String name = "comer " + comers++;
            cluster.add(name);
            int place = cluster.added(name).index();
            present.set(place);
            names.put(place, name);
            comings[place]++;
        }

        private void drain(int place) {
            awaitSlices(place);
            cluster.server(place).drain();
            present.clear(place);
            leavers.add(names.get(place));
        }

        private void awaitSlices(int place) {
            String word = "server " + place + " owns slices from";
            Deadline.await(
                    word + ", coming " + comings[place],
                    () -> training.words(word) == comings[place]
                            || !cluster.failures().isEmpty());
            assertEquals(Map.of(), cluster.failures());
        }
    }

    private static ClusterSettingsBuilder terms() {
        return TestCluster.terms()
                .servers(1)
                .serverPlaces(2)
                .workers(1)
                .places(2)
                .transport(TransportKind.UDP);
    }

    /** All workers that the server knows have joined before or after it. */
    @Test
    void aServerJoinsWhenNoWorkerOfTheFirstSetIsLeft() {
        VersionedTraining training =
                new VersionedTraining(driver, terms().build(), new Updates(5, VersionedTraining.SHAPES));
        TestCluster cluster = training.cluster();
        AtomicBoolean leaves = new AtomicBoolean();
        try (cluster) {
            cluster.serve();
            cluster.train("the first", -1, worker -> training.train(worker, leaves::get));
            training.awaitClock(2);
            cluster.train("the second", -1, training::train);
            training.awaitNote("worker 1 takes part from");
            leaves.set(true);
            training.requireSuccess("the first");
            cluster.add("the new one");
            training.awaitNote("server 1 owns slices from");
            cluster.train("the third", -1, training::train);
            training.awaitNote("worker 0 takes part from", 1);
            training.awaitClock(training.furthest() + 20);
            training.endSoon();
            training.requireSuccess("the second", "the third", "server 0", "the new one");
            assertEquals(1, cluster.added("the new one").report().moves().size());
        }
    }

    /** A server is not needed before it owns slices, even under the policy that ends a job after a death. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(booleans = {false, true})
    void theEndOfAServerWithoutSlicesHasNoEffect(boolean dies) throws InterruptedException {
        ClusterSettings settings = terms().heartbeatMs(50).livenessMs(600).build();
        VersionedTraining training = new VersionedTraining(driver, settings, new Updates(6, VersionedTraining.SHAPES));
        TestCluster cluster = training.cluster();
        CountDownLatch gate = new CountDownLatch(1);
        StoppableClock stopped = new StoppableClock();
        try (cluster) {
            cluster.serve();
            cluster.train(worker -> {
                gate.await(); // before it has declared the tables
                training.train(worker);
            });
            Deadline.await("it serves", () -> cluster.server(0) != null);
            cluster.adjustServers(context -> context.clock(stopped));
            cluster.add("the first");
            Server first = cluster.added("the first");
            if (dies) {
                stopped.stop();
                training.awaitNote("server 1 was silent");
                stopped.resume();
                assertNotNull(cluster.awaitEnd("the first"), "server 1 receives the report that it is lost");
            } else {
                first.drain();
                training.requireSuccess("the first");
                assertTrue(first.isDrained());
            }
            gate.countDown();
            Deadline.await("it trains", () -> training.furthest() > 3);
            cluster.add("the second");
            training.awaitNote("server 1 owns slices from");
            training.endSoon();
            training.requireSuccess("worker 0", "server 0", "the second");
        }
    }

    /** The host of the server has died and the server is not lost yet: workers have no link to it and continue. */
    @Test
    void anUnreachableServerDelaysNoNode() {
        ClusterSettings settings = terms().livenessMs(15_000).build();
        VersionedTraining training = new VersionedTraining(driver, settings, new Updates(8, VersionedTraining.SHAPES));
        TestCluster cluster = training.cluster();
        CountDownLatch gate = new CountDownLatch(1);
        try (cluster) {
            cluster.serve();
            cluster.train(worker -> {
                gate.await(); // delays the worker before it opens a link to the new server
                training.train(worker);
            });
            Deadline.await("it serves", () -> cluster.server(0) != null);
            try (TestDriver itsOwn = TestDriver.launch()) {
                cluster.adjustServers(context -> context.aeronDirectory(itsOwn.directory()));
                cluster.add("the new one");
                cluster.added("the new one");
            }
            gate.countDown();
            Deadline.await("it trains", () -> training.furthest() > 5);
            assertEquals(0, training.words("server 1 was silent"), "no node could miss the server before");
            training.endSoon();
            training.requireSuccess("worker 0", "server 0");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, flat, more can join while the job runs only if its terms have places for them (serverPlaces)",
        "0, flat, more can join while the job runs only if its terms have places for them (serverPlaces)",
        "1, rotated:2, none can join while the job runs with the tree rotated:2"
    })
    void aServerWithoutAPlaceLearnsWhatIsRequired(int places, String tree, String words) {
        ClusterSettings settings =
                TestCluster.terms().workers(1).places(places).tree(tree).build();
        VersionedTraining training = new VersionedTraining(driver, settings, new Updates(7, VersionedTraining.SHAPES));
        training.play(() -> {
            TestCluster cluster = training.cluster();
            training.awaitClock(2);
            ServerContext context = cluster.context(new ServerContext());
            ClusterException refused = assertThrows(ClusterException.class, () -> Server.launch(context));
            assertEquals(Failure.REFUSED, refused.failure());
            String expected = "all 2 servers have already joined: " + words;
            assertTrue(refused.getMessage().endsWith(expected), refused.getMessage());
            training.endSoon();
        });
    }
}
