package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers join while others leave, are lost or complete: no node waits for a push that is never sent. */
@Timeout(240)
class NewcomersTest {
    private static final List<Shape> SHAPES = List.of(new Shape("w", 13, 31), new Shape("u", 5, 3));

    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private static TestDriver driver;

    private final Updates updates = new Updates(4, SHAPES);

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms(int workers, int places) {
        return TestCluster.terms().workers(workers).places(places).transport(TransportKind.UDP);
    }

    /** Worker 1 leaves without draining, and its last pushes wait at the servers until worker 0 continues. */
    private final class Handover {
        private final AtomicLong pushedFirst = new AtomicLong();
        private final AtomicBoolean isGone = new AtomicBoolean();
        private final CountDownLatch resume = new CountDownLatch(1);
        private final AtomicLong end = new AtomicLong(Long.MAX_VALUE);
        private final Map<Integer, List<float[]>> replicas = new ConcurrentHashMap<>();

        void stay(Worker worker) throws InterruptedException {
            worker.onWorkerSet(workerSets ->
                    end.set(3 == workerSets.size() ? workerSets.getLast().since() + 3 : end.get()));
            List<Table> tables = updates.start(worker);
            while (worker.completed() < end.get()) {
                long round = worker.completed() + 1;
                Deadline.await("the other has pushed", () -> pushedFirst.get() >= round || isGone.get());
                if (isGone.get()) {
                    Deadline.await(resume);
                }
                updates.step(worker, tables);
            }
            worker.drain();
            replicas.put(worker.index(), copies(tables));
        }

        void go(Worker worker) {
            List<Table> tables = updates.start(worker);
            while (worker.takesPart()) {
                updates.step(worker, tables); // servers add in the order of the workers, so they leave it on its link
                if (2 == worker.completed()) {
                    worker.requestLeave();
                }
                isGone.set(!worker.takesPart());
                pushedFirst.set(worker.completed());
            }
        }

        void begin(TestCluster cluster) {
            cluster.train("stayer", 0, this::stay);
            cluster.train("leaver", 1, this::go);
            assertNull(cluster.awaitEnd("leaver"));
        }

        void join(TestCluster cluster, String name) {
            Set<String> known = links("coordinator to ");
            cluster.train(name, 1, this::stay);
            Deadline.await("the coordinator knows of it", () -> !known.containsAll(links("coordinator to ")));
        }
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(ints = {1, 2})
    void aPlaceIsFreeOnlyWhenServersHaveAllThatWasPushedFromItAndForOne(int comers) {
        Handover handover = new Handover();
        try (TestCluster cluster = TestCluster.start(driver, terms(2, 2).build())) {
            handover.begin(cluster);
            IntStream.range(0, comers).forEach(i -> handover.join(cluster, "newcomer " + i));
            handover.resume.countDown();
            IntStream.range(0, comers).forEach(i -> cluster.awaitEnd("newcomer " + i));
            assertNull(cluster.awaitEnd("stayer"));
            assertEquals(comers - 1, cluster.failures().size());
            if (comers > 1) {
                requireRefusal(cluster.awaitAnyFailure(), "worker 1 has already joined");
            }
        }
        requireSame(handover.replicas);
    }

    @Test
    @Tag("slow")
    void aNodeThatWaitsForAPlaceReceivesTheFailureOfTheJob() {
        Handover handover = new Handover();
        StoppableClock stopped = new StoppableClock();
        try (TestCluster cluster =
                TestCluster.of(driver, mortal(2, 2).onDeath(DeathPolicy.FAIL).build())) {
            cluster.adjustWorkers(context -> context.clock(0 == context.index() ? stopped : context.clock()))
                    .serve();
            handover.begin(cluster);
            handover.join(cluster, "newcomer");
            stopped.stop();
            requireRefusal(cluster.awaitFailure("newcomer"), "the job has failed: worker 0 has been silent for");
            stopped.resume();
        }
    }

    /** The only worker is lost while another loads its data; that one continues from the last clock of the first. */
    @Test
    @Tag("slow")
    void anEmptyWorkerSetBeginsNoRound() throws Exception {
        StoppableClock stopped = new StoppableClock();
        CountDownLatch hasJoined = new CountDownLatch(1);
        AtomicLong last = new AtomicLong();
        CountDownLatch never = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.of(driver, mortal(1, 2).build())) {
            cluster.adjustWorkers(context -> context.clock(0 == context.index() ? stopped : context.clock()))
                    .serve();
            cluster.train("worker 0", 0, worker -> {
                List<Table> tables = updates.start(worker);
                while (hasJoined.getCount() > 0) {
                    updates.step(worker, tables);
                }
                worker.drain();
                last.set(worker.completed());
                stopped.stop();
                never.await();
            });
            cluster.server(0); // the worker has joined
            cluster.train("newcomer", 1, worker -> {
                hasJoined.countDown();
                Deadline.await("the other is lost", () -> worker.isLost(0));
                List<Table> tables = updates.start(worker);
                long begun = worker.completed();
                assertTrue(begun <= last.get() + 2, "it begins behind " + begun + ", the last was " + last);
                while (worker.workerSet().size() > 1) {
                    updates.step(worker, tables);
                }
                assertEquals(List.of(1), worker.workerSet().workers());
                updates.step(worker, tables);
                worker.drain();
            });
            for (String name : List.of("newcomer", "server 0", "server 1")) {
                assertNull(cluster.awaitEnd(name), name);
            }
            stopped.resume();
        }
    }

    @Test
    void aWorkerWithOtherTablesIsRefusedAndTheOthersContinue() {
        AtomicLong last = new AtomicLong(Long.MAX_VALUE);
        try (TestCluster cluster = TestCluster.start(driver, terms(2, 3).build())) {
            cluster.train(worker -> {
                List<Table> tables = updates.start(worker);
                while (worker.completed() < last.get()) {
                    updates.step(worker, tables);
                }
                worker.drain();
            });
            cluster.server(0);
            cluster.train("other shape", -1, worker -> {
                worker.table("w", 13, 31);
                worker.table("u", 7, 3);
                worker.start(updates::initial);
            });
            requireRefusal(
                    cluster.awaitFailure("other shape"),
                    "worker 2 declares table 1 as u, 7 x 3 in slices of 64, expected u, 5 x 3 in slices of 64");
            cluster.train("fewer", -1, worker -> {
                worker.table("w", 13, 31);
                worker.start(updates::initial);
            });
            requireRefusal(
                    cluster.awaitFailure("fewer"),
                    "worker 2 declares w, 13 x 31 in slices of 64 as one of 1 tables, expected the 2");
            cluster.train("newcomer", -1, worker -> {
                List<Table> tables = updates.start(worker);
                last.set(worker.completed() + 2); // the others are at most one clock ahead
                updates.step(worker, tables);
                updates.step(worker, tables);
                worker.drain();
            });
            for (String name : List.of("worker 0", "worker 1", "newcomer", "server 0", "server 1")) {
                assertNull(cluster.awaitEnd(name), name);
            }
        }
    }

    private static void requireRefusal(ClusterException failure, String words) {
        assertEquals(Failure.REFUSED, failure.failure(), failure.getMessage());
        assertTrue(failure.getMessage().contains(words), failure.getMessage());
    }

    /** The parameters arrive later than the new worker's limit allows. */
    @Test
    void aNewWorkerWhoseWaitEndsFailsAlone() throws Exception {
        CountDownLatch gaveUp = new CountDownLatch(1);
        CountDownLatch stand = new CountDownLatch(2);
        try (TestCluster cluster = TestCluster.start(driver, terms(2, 3).build())) {
            cluster.train(worker -> {
                List<Table> tables = updates.start(worker);
                updates.step(worker, tables);
                stand.countDown();
                Deadline.await(gaveUp);
                for (int i = 0; i < 10; i++) {
                    updates.step(worker, tables);
                }
                worker.drain();
            });
            Deadline.await(stand);
            cluster.adjustWorkers(context -> context.progressNs(TimeUnit.MILLISECONDS.toNanos(300)));
            cluster.train("hasty", -1, updates::start);
            assertEquals(Failure.TIMEOUT, cluster.awaitFailure("hasty").failure());
            gaveUp.countDown();
            for (String name : List.of("worker 0", "worker 1", "server 0", "server 1")) {
                assertNull(cluster.awaitEnd(name), name);
            }
        }
    }

    /** A newcomer ignores, and does not refuse, frames of versions before its first, however late it reads them. */
    @Test
    void aNewcomerReadsLateWhatAServerHasBroadcastWhosePlaceIsTaken() throws Exception {
        ClusterSettings settings = TestCluster.terms()
                .serverPlaces(2)
                .workers(1)
                .places(2)
                .heartbeatMs(50)
                .build();
        List<Shape> small = List.of(new Shape("w", 2, 64)); // a log has room for all clocks that pass in the meantime
        CountDownLatch stands = new CountDownLatch(1);
        CountDownLatch resume = new CountDownLatch(1);
        try (TestDriver roomy = TestDriver.launchForLongFrames()) {
            VersionedTraining training = new VersionedTraining(roomy, settings, new Updates(6, small));
            TestCluster cluster = training.cluster();
            try (cluster) {
                cluster.serve();
                cluster.train(worker -> training.train(worker, () -> {
                    LockSupport.parkNanos(PAUSE_NS);
                    return false;
                }));
                training.awaitClock(2);
                cluster.adjustWorkers(context -> context.clock(() -> {
                    if (resume.getCount() > 0 && isInNewcomer()) {
                        stands.countDown();
                        Deadline.await("training continues", () -> 0 == resume.getCount());
                    }
                    return System.nanoTime();
                }));
                cluster.train("newcomer", -1, training::train); // which refuses no frame
                Deadline.await(stands);
                cluster.server(1).drain();
                training.requireSuccess("server 1");
                cluster.add("another");
                training.awaitNote("server 1 owns slices from");
                resume.countDown();
                training.awaitNote("worker 1 takes part from");
                training.endSoon();
                training.requireSuccess("worker 0", "newcomer", "server 0", "another");
            }
        }
    }

    /** Whether the calling thread has opened its inboxes, and has not asked to take part. */
    private static boolean isInNewcomer() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(Newcomer.class.getName())));
    }

    @Test
    void linksToThoseWhoHaveGoneAreClosed() throws Exception {
        CountDownLatch looked = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(driver, terms(2, 2).build())) {
            cluster.train(worker -> {
                List<Table> tables = updates.start(worker);
                updates.step(worker, tables);
                if (1 == worker.index()) {
                    worker.requestLeave();
                }
                while (worker.takesPart() && looked.getCount() > 0) {
                    updates.step(worker, tables);
                }
                worker.drain();
            });
            assertNull(cluster.awaitEnd("worker 1"));
            assertFalse(links("server 0 to worker 0").isEmpty());
            Deadline.await(
                    "no link is left",
                    () -> links("server 0 to worker 1").isEmpty()
                            && links("server 1 to worker 1").isEmpty());
            looked.countDown();
            cluster.awaitSuccess();
        }
    }

    private static ClusterSettingsBuilder mortal(int workers, int places) {
        return terms(workers, places).heartbeatMs(50).livenessMs(600).onDeath(DeathPolicy.SHRINK);
    }

    /** The open links with a name. */
    private static Set<String> links(String name) {
        try (DriverView view = DriverView.open(driver.directory())) {
            return view.read().entries().stream()
                    .filter(entry -> CounterType.LINK_CONNECTED == entry.type())
                    .map(entry -> entry.key().name())
                    .filter(label -> label.startsWith(name))
                    .collect(Collectors.toSet());
        }
    }

    private static List<float[]> copies(List<Table> tables) {
        return tables.stream().map(Updates::copy).toList();
    }

    private static void requireSame(Map<Integer, List<float[]>> replicas) {
        List<float[]> first = replicas.get(0);
        replicas.forEach((worker, each) -> {
            for (int table = 0; table < SHAPES.size(); table++) {
                assertArrayEquals(first.get(table), each.get(table), "worker " + worker);
            }
        });
    }
}
