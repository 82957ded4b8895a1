package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.clock.BulkSynchronous;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The slices of a shard change between two rounds; no round of a slice is closed before its state has arrived. */
class MigrationInShardTest {
    private static final int WORKERS = 2;
    private static final int ELEMENTS = 4;
    private static final TableSpec SPEC = new TableSpec(0, "t", 3, ELEMENTS, ELEMENTS);

    private final BlockAccumulator accumulator = new BlockAccumulator(Kernels.preferred());
    private final List<String> finalised = new ArrayList<>();

    /** A sink that is always ready and records the finalised slices. */
    private final class Noting implements RoundSink {
        private final int[] slices;

        Noting(int[] slices) {
            this.slices = slices;
        }

        @Override
        public boolean isReady(int slice) {
            return true;
        }

        @Override
        public void finalise(int slice, long round) {
            finalised.add(slices[slice] + " in " + round);
        }

        @Override
        public void changed(int slice) {}

        @Override
        public boolean closeRound(long round) {
            return true;
        }

        @Override
        public boolean onPull(int worker, long version) {
            return false;
        }

        @Override
        public int work() {
            return 0;
        }

        @Override
        public float residualMaxAbs() {
            return 0;
        }
    }

    private TablePart part(long round, int... slices) {
        SliceStore store = new SliceStore(SPEC, slices);
        SliceSums sums = new SliceSums(
                new SumStage(store, accumulator), slices.length, WORKERS, round, true, ReorderBuffer.none());
        KeptParameters kept = new KeptParameters(SPEC, slices, accumulator, Kernels.preferred());
        return new TablePart(slices, sums, new Noting(slices), kept);
    }

    private static void commit(TableShard table, long round) {
        for (int worker = 0; worker < WORKERS; worker++) {
            table.acceptRoundCommit(worker, round);
        }
    }

    @Test
    void aSliceIsFinalisedOnceItsStateHasArrived() {
        TableShard table = new TableShard(SPEC, part(3, 0), new BulkSynchronous(), 3);
        table.gateBy((self, round) -> {
            if (5 == round) {
                self.migrate(part(4, 0, 2), new int[] {1});
            }
            return true;
        });
        commit(table, 4);
        assertEquals(4, table.version());
        assertEquals(1, table.position(2), "slice 2 has moved to this server");
        assertTrue(table.awaits(1));
        assertTrue(table.takes(0, 0, 5));
        assertFalse(table.takes(0, 1, 5), "the transferred sum must be added first");
        commit(table, 5);
        table.work();
        assertEquals(List.of("0 in 4", "0 in 5"), finalised);
        assertEquals(4, table.version());
        table.arrived(1);
        assertEquals(List.of("0 in 4", "0 in 5", "2 in 5"), finalised);
        assertEquals(5, table.version());
        commit(table, 6);
        assertEquals(6, table.version());
    }

    @Test
    void aTableWithoutSlicesIsIdleAndMayReceiveSlicesAgain() {
        TableShard table = new TableShard(SPEC, part(3, 0, 1), new BulkSynchronous(), 3);
        table.gateBy((self, round) -> {
            if (5 == round) {
                self.migrate(part(4), new int[0]);
            } else if (9 == round) {
                self.migrate(part(8, 1), new int[] {0});
            }
            return true;
        });
        commit(table, 4);
        assertTrue(table.isAtRest());
        assertEquals(-1, table.position(0));
        table.work();
        assertEquals(4, table.version());
        table.rise(9);
        assertFalse(table.isAtRest());
        table.work();
        assertEquals(0, table.position(1));
        commit(table, 9);
        assertEquals(8, table.version());
        table.arrived(0);
        assertEquals(9, table.version());
        assertEquals(List.of("0 in 4", "1 in 4", "1 in 9"), finalised);
    }

    @Test
    void slicesThatStayKeepTheirState() {
        TablePart before = part(4, 0, 2);
        for (int position = 0; position < 2; position++) {
            set(before.sums().store(), position, 10 + position);
            set(before.parameters().store(), position, 20 + position);
        }
        TablePart now = part(4, 1, 2);
        assertArrayEquals(new int[] {0}, now.takeOver(before), "slice 1 has no state here");
        assertEquals(0, get(now.sums().store(), 0));
        assertEquals(11, get(now.sums().store(), 1));
        assertEquals(21, get(now.parameters().store(), 1));
    }

    private static void set(SliceStore store, int position, float value) {
        store.segment().set(ValueLayout.JAVA_FLOAT, store.offset(position) + (ELEMENTS - 1L) * Float.BYTES, value);
    }

    private static float get(SliceStore store, int position) {
        return store.segment().get(ValueLayout.JAVA_FLOAT, store.offset(position) + (ELEMENTS - 1L) * Float.BYTES);
    }
}
