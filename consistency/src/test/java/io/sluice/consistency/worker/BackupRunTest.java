package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerResiduals;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Backup workers: no node waits for stragglers, and late pushes are part of later versions. Each element of each update
 * is in the replicas, in a worker's residual or in a server's.
 */
@Timeout(240)
class BackupRunTest {
    private static final int CLOCKS = 12;

    private static TestDriver driver;

    private final Map<Integer, float[]> replicas = new ConcurrentHashMap<>();

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
        "1, 2, 1, ipc, none",
        "2, 4, 1, ipc, none",
        "2, 4, 2, udp, none",
        "2, 5, 4, ipc, none",
        "2, 4, 1, udp, dvf:30.1",
        "2, 3, 2, ipc, density:0.05"
    })
    void noUpdateIsLost(int servers, int workers, int backups, String medium, String filter) {
        ClusterSettings settings = TestCluster.terms()
                .servers(servers)
                .workers(workers)
                .consistency("backup:" + backups)
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .filter(filter)
                .build();
        Property.holds(1, random -> {
            Updates updates = new GridUpdates(random.nextLong(), List.of(new Shape("w", 17, 29)));
            replicas.clear();
            try (TestCluster cluster = TestCluster.start(driver, settings)) {
                Account account = new Account(cluster, updates, backups);
                cluster.train(account::train);
                cluster.awaitSuccess();
            }
            replicas.values()
                    .forEach(replica -> assertArrayEquals(replicas.get(0), replica, "replicas of one version"));
            assertEquals(workers, replicas.size());
        });
    }

    /** The last b workers are stragglers: each begins a clock only when all others have ended all of theirs. */
    private final class Account {
        private final TestCluster cluster;
        private final Updates updates;
        private final int workers;
        private final int prompt;
        private final Table[] tables;
        private final CountDownLatch promptDone;
        private final CyclicBarrier end;
        private final AtomicInteger framesPushed = new AtomicInteger();

        Account(TestCluster cluster, Updates updates, int backups) {
            this.cluster = cluster;
            this.updates = updates;
            this.workers = cluster.settings().workers();
            this.prompt = workers - backups;
            this.tables = new Table[workers];
            this.promptDone = new CountDownLatch(prompt);
            this.end = new CyclicBarrier(workers, this::balance);
        }

        void train(Worker worker) throws Exception {
            int index = worker.index();
            Table table = updates.declare(worker).getFirst();
            tables[index] = table;
            worker.start(updates::initial);
            if (index >= prompt) {
                assertTrue(
                        promptDone.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS),
                        "no worker waits for stragglers");
            }
            for (long round = 1; round <= CLOCKS; round++) {
                table.sync();
                table.update(updates.of(table.spec(), index, round));
                worker.clock();
            }
            worker.drain();
            assertEquals(CLOCKS, table.version());
            replicas.put(index, Updates.copy(table));
            promptDone.countDown();
            framesPushed.addAndGet((int) worker.stats().framesPushed());
            end.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS);
        }

        private void balance() {
            Deadline.await("servers have all that was pushed", () -> framesPushed.get() == taken());
            TableSpec spec = tables[0].spec();
            float[] atServers = new float[(int) spec.elements()];
            for (int server = 0; server < cluster.settings().servers(); server++) {
                ServerResiduals.addTo(atServers, cluster.server(server), spec);
            }
            float[] put = put(spec);
            int late = 0;
            for (int i = 0; i < put.length; i++) {
                double found = (double) replicas.get(0)[i] + atServers[i];
                for (Table table : tables) {
                    found += table.residual().getAtIndex(JAVA_FLOAT, i);
                }
                assertEquals(put[i], found, spec.name() + "[" + i + "]");
                late += 0 == atServers[i] ? 0 : 1;
            }
            assertTrue(late > 0, "pushes arrived too late for the last version");
        }

        private long taken() {
            long taken = 0;
            for (int server = 0; server < cluster.settings().servers(); server++) {
                taken += cluster.server(server).report().framesTaken();
            }
            return taken;
        }

        /** First parameters and all updates: exact on their grid, so their order does not matter. */
        private float[] put(TableSpec spec) {
            float[] sum = new float[(int) spec.elements()];
            updates.initial(spec.name(), 0, sum);
            for (long round = 1; round <= CLOCKS; round++) {
                for (int worker = 0; worker < workers; worker++) {
                    float[] update = updates.of(spec, worker, round);
                    for (int i = 0; i < sum.length; i++) {
                        sum[i] += update[i];
                    }
                }
            }
            return sum;
        }
    }

    @Test
    void atMostTheBackupWorkersMayLeave() {
        Updates updates = new GridUpdates(5, List.of(new Shape("w", 3, 29)));
        ClusterSettings settings =
                TestCluster.terms().workers(4).consistency("backup:1").build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                Table table = updates.declare(worker).getFirst();
                worker.start(updates::initial);
                int clocks = worker.index() < 2 ? CLOCKS : worker.index();
                for (int round = 1; round <= clocks; round++) {
                    table.sync();
                    table.update(updates.of(table.spec(), worker.index(), round));
                    worker.clock();
                }
                if (worker.index() < 2) {
                    worker.drain();
                }
            });
            ClusterException failure = cluster.awaitFailure("worker 0");
            assertEquals(Failure.PEER_LEFT, failure.failure());
            assertTrue(failure.getMessage().contains("has left at clock"), failure.getMessage());
        }
    }

    @Test
    void invalidSettingsAreRefused() {
        for (int workers = 1; workers <= 2; workers++) {
            int all = workers;
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class,
                    () -> TestCluster.terms()
                            .workers(all)
                            .consistency("backup:2")
                            .build());
            assertTrue(
                    refusal.getMessage().contains("fewer backup workers than the " + all + " workers"),
                    refusal.getMessage());
        }
        for (Protocol protocol : List.of(Protocol.PUSH_PULL, Protocol.MANAGED)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> TestCluster.terms(protocol).consistency("backup:1").build());
        }
    }
}
