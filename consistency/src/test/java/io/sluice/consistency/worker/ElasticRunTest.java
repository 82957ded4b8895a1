package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerResiduals;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.terms.WorkerSet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Workers join and leave at random clocks, and servers leave. Without a filter every replica is, at every version,
 * bit-identical to the sums of the worker set of each clock. With a filter all updates are in the replicas, in
 * residuals of present workers or in those of servers, and nothing remains at nodes that have left. With trees the
 * nodes that leave may be relays.
 */
@Timeout(240)
class ElasticRunTest {
    private static final int MORE_CLOCKS = 5;
    private static final List<Shape> SHAPES =
            List.of(new Shape("w", 13, 31), new Shape("b", 1, 1), new Shape("u", 5, 3));
    private static final ClusterSecret SECRET =
            ClusterSecret.of("a secret for tests, long enough".getBytes(StandardCharsets.US_ASCII));

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
        "1, 1, ipc, none, f32, fifo, false",
        "2, 4, udp, none, f32, fifo, false",
        "1, 2, ipc, none, f32, random:3, false",
        "1, 2, udp, none, f32, layer, true",
        "1, 3, ipc, dvf:30.1, f32, fifo, false",
        "1, 2, udp, dvf:100, bf16, fifo, true",
    })
    void eachClockIsTheSumOfItsWorkerSet(
            int seeds, int servers, String medium, String filter, String values, String order, boolean sealed) {
        Property.holds(seeds, random -> {
            int first = random.nextInt(1, 4);
            ClusterSettings settings = terms(first, first + random.nextInt(1, 4), servers, medium, filter)
                    .serverPlaces(servers + random.nextInt(3))
                    .values(values)
                    .order(order)
                    .seal(sealed)
                    .build();
            new Run(driver, settings, random, sealed).play();
        });
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "rotated:2, 2, 2, udp, none, fifo, false",
        "chain, 1, 1, udp, none, random:3, false",
        "'shared:2,3', 1, 3, udp, none, layer, true",
        "stripes, 1, 2, udp, none, fifo, false",
        "p3:2, 1, 2, udp, none, fifo, false",
        "rotated:2, 1, 2, ipc, none, fifo, false",
        "rotated:1, 1, 2, udp, dvf:100, fifo, false",
    })
    void eachClockIsTheSumOfItsWorkerSetWithTrees(
            String tree, int seeds, int servers, String medium, String filter, String order, boolean sealed) {
        Property.holds(seeds, random -> {
            int first = random.nextInt(2, 6);
            ClusterSettings settings = terms(first, first + random.nextInt(1, 4), servers, medium, filter)
                    .tree(tree)
                    .order(order)
                    .seal(sealed)
                    .build();
            new Run(driver, settings, random, sealed).play();
        });
    }

    @Tag("slow")
    @Test
    void lossChangesNoBitInTrees() {
        Property.holds(1, random -> {
            try (TestDriver lossy = TestDriver.lossy(0.02, random.nextLong(), 256 << 10)) {
                ClusterSettings settings = terms(4, 6, 2, "udp", "none")
                        .tree("rotated:2")
                        .livenessMs(10_000)
                        .build();
                new Run(lossy, settings, random, false).play();
            }
        });
    }

    private static ClusterSettingsBuilder terms(int workers, int places, int servers, String medium, String filter) {
        return TestCluster.terms()
                .servers(servers)
                .workers(workers)
                .places(places)
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .filter(filter);
    }

    /** One cluster, with joins and leaves drawn from the seed. */
    private static final class Run {
        private final ClusterSettings settings;
        private final Updates updates;
        private final TestCluster cluster;
        private final boolean exact;
        private final int comers;
        private final int changes;

        /** By name, the number of its own clocks after which a worker asks to leave. */
        private final Map<String, Integer> goings = new HashMap<>();

        private final long[] launchAt;

        /** By server, the clock at which it is asked to leave; 0 for one that stays. */
        private final long[] drainAt;

        /** By added server, the clock at which it is started, and whether it leaves again. */
        private final long[] addAt;

        private final boolean[] isAddedForAWhile;

        private final AtomicLong furthest = new AtomicLong();
        private final CountDownLatch balanced = new CountDownLatch(1);
        private final Map<Integer, List<float[]>> replicas = new ConcurrentHashMap<>();
        private final Map<Integer, List<float[]>> residuals = new ConcurrentHashMap<>();
        private final Map<String, List<WorkerSet>> histories = new ConcurrentHashMap<>();

        Run(TestDriver driver, ClusterSettings settings, SplittableRandom random, boolean sealed) {
            this.settings = settings;
            this.exact = "none".equals(settings.table("").filter());
            this.updates = exact ? new Updates(random.nextLong(), SHAPES) : new GridUpdates(random.nextLong(), SHAPES);
            this.cluster = TestCluster.of(driver, settings);
            if (sealed) {
                cluster.adjust(context -> context.secret(SECRET));
            }
            this.comers = random.nextInt(1, settings.places() - settings.workers() + 1);
            this.launchAt = new long[comers];
            for (int comer = 0; comer < comers; comer++) {
                launchAt[comer] = random.nextLong(0, 60);
            }
            int all = settings.workers() + comers;
            int stays = random.nextInt(all);
            for (int i = 0; i < all; i++) {
                if (i != stays && random.nextBoolean()) {
                    goings.put(name(i), random.nextInt(1, 60));
                }
            }
            this.changes = comers + goings.size();
            this.drainAt = new long[settings.servers()];
            for (int server = 1; server < drainAt.length; server++) {
                drainAt[server] = random.nextBoolean() && !settings.growsTrees() ? random.nextLong(1, 60) : 0;
            }
            this.addAt = random.longs(settings.serverPlaces() - settings.servers(), 0, 60)
                    .sorted()
                    .toArray();
            this.isAddedForAWhile = new boolean[addAt.length];
            for (int added = 0; added < addAt.length; added++) {
                isAddedForAWhile[added] = random.nextBoolean();
            }
        }

        private static String name(int i) {
            return "process " + i;
        }

        void play() {
            try (cluster) {
                cluster.serve();
                for (int i = 0; i < settings.workers(); i++) {
                    start(i);
                }
                cluster.server(0); // the initial nodes have joined
                Thread.ofVirtual().start(this::drain);
                AtomicBoolean added = new AtomicBoolean();
                Thread.ofVirtual().start(() -> {
                    add();
                    added.set(true);
                });
                for (int comer = 0; comer < comers; comer++) {
                    long clock = launchAt[comer];
                    boolean isLast = comer == comers - 1; // the job does not end before the last newcomer has joined
                    Deadline.await(
                            "a worker has reached clock " + clock,
                            () -> furthest.get() >= clock && (!isLast || added.get()));
                    start(settings.workers() + comer);
                }
                awaitEnd();
                for (int table = 0; table < SHAPES.size(); table++) {
                    requireBalance(table);
                }
                balanced.countDown();
                cluster.awaitSuccess();
                cluster.reports().forEach(report -> assertEquals(0, report.framesRejected()));
            }
        }

        private void awaitEnd() {
            try {
                Deadline.await(
                        "all are at the end",
                        () -> histories.values().stream()
                                .anyMatch(workerSets -> workerSets.size() == changes + 1
                                        && workerSets.getLast().size() == replicas.size()
                                        && histories.size() == settings.workers() + comers));
            } catch (AssertionError e) {
                throw new AssertionError(
                        "changes: " + changes + ", reports: "
                                + cluster.errors().stream().limit(20).toList() + ", failed: " + cluster.failures(),
                        e);
            }
        }

        private void drain() {
            for (int server = 1; server < drainAt.length; server++) {
                long clock = drainAt[server];
                if (clock > 0) {
                    Deadline.await("a worker has reached clock " + clock, () -> furthest.get() >= clock);
                    cluster.server(server).drain();
                }
            }
        }

        private void add() {
            for (int i = 0; i < addAt.length; i++) {
                long clock = addAt[i];
                Deadline.await("a worker has reached clock " + clock, () -> furthest.get() >= clock);
                String name = "added " + i;
                cluster.add(name);
                Server server = cluster.added(name);
                String note = "server " + server.index() + " owns slices from";
                Deadline.await(
                        note,
                        () -> cluster.errors().stream()
                                .anyMatch(report -> report.getMessage().startsWith(note)));
                if (isAddedForAWhile[i]) {
                    server.drain();
                }
            }
        }

        private void start(int i) {
            cluster.train(name(i), -1, worker -> train(name(i), worker));
        }

        private void train(String name, Worker worker) throws Exception {
            long[] end = {Long.MAX_VALUE};
            List<List<WorkerSet>> heard = new ArrayList<>();
            worker.onWorkerSet(workerSets -> {
                heard.add(workerSets);
                if (workerSets.size() == changes + 1) {
                    end[0] = workerSets.getLast().since() + MORE_CLOCKS;
                }
            });
            List<Table> tables = updates.declare(worker);
            List<WorkerSetSum> sums = tables.stream()
                    .map(table -> new WorkerSetSum(updates, table.spec()))
                    .toList();
            worker.start(updates::initial);
            int own = 0;
            boolean asked = false;
            while (worker.completed() < end[0] && worker.takesPart()) {
                long round = worker.completed() + 1;
                List<WorkerSet> workerSets = heard.getLast();
                assertTrue(workerSets.getLast().since() <= round, "the change is reported before its clock");
                assertEquals(workerSets.getLast(), worker.workerSet());
                for (Table table : tables) {
                    table.sync();
                    assertEquals(round - 1, table.version());
                    if (exact) {
                        float[] expected = sums.get(table.spec().id()).upTo(workerSets, round - 1);
                        assertArrayEquals(expected, Updates.copy(table), name + " " + round);
                    }
                    table.update(updates.of(table.spec(), worker.index(), round));
                }
                worker.clock();
                furthest.accumulateAndGet(round, Math::max);
                own++;
                if (!asked && own >= goings.getOrDefault(name, Integer.MAX_VALUE)) {
                    worker.requestLeave();
                    asked = true;
                }
            }
            worker.drain();
            if (worker.takesPart()) {
                replicas.put(worker.index(), tables.stream().map(Updates::copy).toList());
                residuals.put(worker.index(), tables.stream().map(Run::residual).toList());
            } else {
                tables.forEach(table -> assertEquals(0, table.residualMaxAbs(), "the whole residual has been pushed"));
                for (Table table : exact ? tables : List.<Table>of()) {
                    float[] expected = sums.get(table.spec().id()).upTo(heard.getLast(), worker.completed());
                    assertArrayEquals(expected, Updates.copy(table), name + " is at its last clock");
                }
                assertThrows(IllegalStateException.class, worker::clock);
            }
            if (!settings.growsTrees()) { // with trees two nodes may send the same frames for a while
                assertEquals(0, worker.framesRejected(), name);
            }
            histories.put(name, heard.getLast());
            if (worker.takesPart()) {
                assertTrue(balanced.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            }
        }

        private static float[] residual(Table table) {
            return table.residual().toArray(JAVA_FLOAT);
        }

        private void requireBalance(int table) {
            assertFalse(replicas.isEmpty());
            List<WorkerSet> workerSets = histories.values().stream()
                    .max(Comparator.comparingInt(List::size))
                    .orElseThrow();
            assertEquals(changes + 1, workerSets.size());
            assertEquals(
                    List.copyOf(new TreeSet<>(replicas.keySet())),
                    workerSets.getLast().workers());
            histories.values().forEach(each -> assertEquals(workerSets.subList(0, each.size()), each, "one history"));
            TableSpec spec = SHAPES.get(table).spec(table, settings.sliceElements());
            float[] expected = new WorkerSetSum(updates, spec)
                    .upTo(workerSets, workerSets.getLast().since() + MORE_CLOCKS);
            float[] atHome = new float[expected.length];
            residuals.values().forEach(each -> {
                for (int i = 0; i < atHome.length; i++) {
                    atHome[i] += each.get(table)[i];
                }
            });
            float[] first = replicas.values().iterator().next().get(table);
            replicas.values().forEach(each -> assertArrayEquals(first, each.get(table), "replicas are identical"));
            if (exact) {
                assertArrayEquals(expected, first);
            } else {
                float[] atServers = residualAtServers(spec);
                for (int i = 0; i < expected.length; i++) {
                    assertEquals(expected[i], first[i] + atHome[i] + atServers[i], spec.name() + "[" + i + "]");
                }
            }
        }

        private float[] residualAtServers(TableSpec spec) {
            float[] atServers = new float[(int) spec.elements()];
            for (Server server : cluster.servers()) {
                ServerResiduals.addTo(atServers, server, spec);
            }
            return atServers;
        }
    }
}
