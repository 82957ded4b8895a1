package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Without a filter, BSP equals a single process that adds all updates in worker order: bit for bit, at every clock, for
 * any number of nodes, placement, medium and protocol.
 */
@Timeout(240)
class ExactRunTest {
    private static final int CLOCKS = 8;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** One element, fewer slices than servers, many slices, several tables. */
    private static final List<Shape> SHAPES =
            List.of(new Shape("bias", 1, 1), new Shape("w", 13, 31), new Shape("u", 5, 3));

    @Drawn
    @ParameterizedTest
    @CsvSource({
        "1, 1, ipc, update,    uniform,       64,  none",
        "2, 3, ipc, update,    uniform,       64,  none",
        "3, 2, ipc, update,    round-robin,   7,   lz4",
        "2, 3, udp, update,    largest-first, 64,  none",
        "4, 2, udp, update,    uniform,       1,   snappy",
        "2, 3, ipc, push-pull, uniform,       64,  none",
        "3, 3, udp, push-pull, largest-first, 33,  lz4",
        "2, 2, udp, update,    uniform,       300, zstd",
        "2, 2, udp, push-pull, uniform,       300, auto",
    })
    void everyReplicaIsTheReferenceAtEveryClock(
            int servers, int workers, String medium, String protocol, String placement, int slice, String compressor) {
        ClusterSettings settings = TestCluster.terms()
                .servers(servers)
                .workers(workers)
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .protocol("update".equals(protocol) ? Protocol.UPDATE : Protocol.PUSH_PULL)
                .placement(placement)
                .sliceElements(slice)
                .compressor(compressor)
                .build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            requireReference(settings, updates);
        });
    }

    /** Answers wait above short logs and overtake one another, with equal results. */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"IPC, magnitude", "UDP, relative", "UDP, round-robin"})
    void pullsWithAnOrderGiveTheReference(TransportKind transport, String order) {
        ClusterSettings settings = TestCluster.terms()
                .servers(2)
                .workers(3)
                .transport(transport)
                .protocol(Protocol.PUSH_PULL)
                .order(order)
                .build();
        Property.holds(1, random -> requireReference(settings, new Updates(random.nextLong(), SHAPES)));
    }

    @Test
    void twoRunsAreEqual() {
        ClusterSettings settings = TestCluster.terms().workers(4).build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), List.of(new Shape("w", 40, 40)));
            float[] first = requireReference(settings, updates);
            assertArrayEquals(first, requireReference(settings, updates));
        });
    }

    /** Servers finalise slices in the order of arrival: no filter policy may depend on it. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "dvf:1, f32",
        "dvf:1, bf16",
        "density:0.1, f32",
        "sidco:0.1;every=2, f32",
        "topk:0.1, f32",
        "budget:3kb, f32",
        "sign, f32",
        "tern;group=32, f32",
        "qsgd:15;feedback;warmup=2, bf16"
    })
    void twoRunsAreEqualWithAnyFilter(String filter, String values) {
        ClusterSettings settings = TestCluster.terms()
                .servers(2)
                .workers(3)
                .sliceElements(64)
                .filter(filter)
                .values(values)
                .build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), List.of(new Shape("w", 40, 40)));
            assertArrayEquals(filtered(settings, updates), filtered(settings, updates));
        });
    }

    private static float[] filtered(ClusterSettings settings, Updates updates) {
        ConcurrentHashMap<Integer, float[]> last = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> {
            Table table = updates.declare(worker).getFirst();
            worker.start(updates::initial);
            for (long round = 1; round <= 3 * CLOCKS; round++) {
                table.sync();
                table.update(updates.of(table.spec(), worker.index(), round));
                worker.clock();
            }
            worker.drain();
            last.put(worker.index(), Updates.copy(table));
        });
        for (float[] replica : last.values()) {
            assertArrayEquals(last.get(0), replica);
        }
        return last.get(0);
    }

    private static float[] requireReference(ClusterSettings settings, Updates updates) {
        ConcurrentHashMap<Integer, float[]> last = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> {
            List<Table> tables = updates.declare(worker);
            worker.start(updates::initial);
            Reference reference = new Reference(updates, worker.workers());
            for (long round = 1; round <= CLOCKS; round++) {
                for (Table table : tables) {
                    table.sync();
                    assertEquals(round - 1, table.version());
                    reference.requireSame(table, round - 1);
                }
                for (Table table : tables) {
                    table.update(updates.of(table.spec(), worker.index(), round));
                }
                worker.clock();
                reference.apply(round);
            }
            worker.drain();
            for (Table table : tables) {
                assertEquals(CLOCKS, table.version());
                reference.requireSame(table, CLOCKS);
            }
            last.put(worker.index(), Updates.copy(tables.getLast()));
            assertEquals(0, worker.framesRejected());
        });
        return last.get(0);
    }
}
