package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.policy.TableSite;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.tree.RouteTable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A worker, its servers and the pushes of others in one thread, in random order. All values are on a grid, so sums are
 * exact: the overlay is the difference between a read and the replica.
 */
class WriteOverlayTest {
    private static final int ROUNDS = 30;

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "1, none, F32",
        "2, none, BF16",
        "3, none, F16",
        "5, dvf:20, F32",
        "2, dvf:20, F16",
        "7, dvf:60, F32",
    })
    void readsAppliedUpdatesAndUpdatesInFlight(int staleness, String filter, ValueType values) {
        Property.holds(10, random -> {
            Model model = new Model(random, staleness, filter, values);
            while (model.round < ROUNDS) {
                model.step();
            }
            model.drain();
        });
    }

    /** One push of one slice: what it added, and the version of the slice when it was made. */
    private static final class Push {
        final int slice;
        final long round;
        final long madeAt;
        float[] values;
        boolean received;

        /** The version whose frame contains the push; 0 while there is none. */
        long includedIn;

        Push(int slice, long round, long madeAt, float[] values) {
            this.slice = slice;
            this.round = round;
            this.madeAt = madeAt;
            this.values = values;
        }

        /** The first version with which the overlay counts the push as returned. */
        long returnsWith() {
            return round == madeAt + 1 ? madeAt + 1 : madeAt + 2;
        }
    }

    /** A broadcast of a version: a slice's sum, or with slice -1 the round commit. */
    private record Frame(int slice, long version, float[] values) {}

    private static final class Model {
        private final SplittableRandom random;
        private final int staleness;
        private final Kernels kernels = Kernels.scalar();
        private final BlockAccumulator accumulator = new BlockAccumulator(kernels);
        private final int servers;
        private final TableSpec spec;
        private final MemorySegment residual;
        private final MemorySegment read;
        private final Table table;
        private final WriteOverlay overlay;
        private final UpdateFilter filter;
        private final Block block = new Block();
        private final MemorySegment room;
        private final List<Push> pushes = new ArrayList<>();
        private final List<List<Push>> ofSlices = new ArrayList<>();
        private final List<Queue<Frame>> broadcasts = new ArrayList<>();
        private final long[] finalised;

        /** By slice, the applied version. */
        private final long[] applied;

        /** By slice, pushes of other workers that are in no version yet. */
        private final float[][] others;

        private long round;

        /** Pushes that have arrived, from the first one on. */
        private int received;

        Model(SplittableRandom random, int staleness, String filterName, ValueType values) {
            this.random = random;
            this.staleness = staleness;
            servers = random.nextInt(1, 4);
            int slice = random.nextInt(1, 40);
            spec = new TableSpec(0, "w", random.nextInt(1, 6), random.nextInt(1, 30), slice);
            long bytes = spec.elements() * Float.BYTES;
            residual = OffHeap.allocate(bytes);
            read = OffHeap.allocate(bytes);
            table = new Table(null, kernels, spec, 0, OffHeap.allocate(bytes), residual, read);
            table.placed(Placement.of("round-robin", List.of(spec), servers), 0);
            table.receive(RouteTable.single(servers), servers, TableIntake::new);
            overlay = new WriteOverlay(table, staleness + 1, read, null, accumulator, this::poll);
            TableSite site = new TableSite(kernels, values, spec.elements(), slice);
            filter = FilterPolicies.named(filterName).create(site);
            room = OffHeap.allocate(BlockFormat.maxLength(slice));
            finalised = new long[servers];
            applied = new long[spec.slices()];
            others = new float[spec.slices()][slice];
            for (int each = 0; each < spec.slices(); each++) {
                ofSlices.add(new ArrayList<>());
            }
            for (int server = 0; server < servers; server++) {
                broadcasts.add(new ArrayDeque<>());
            }
        }

        void step() {
            switch (random.nextInt(6)) {
                case 0 -> push();
                case 1 -> receive(random.nextInt(pushes.size() + 1));
                case 2 -> finalise(random.nextInt(servers));
                case 3, 4 -> apply(random.nextInt(servers));
                default -> check();
            }
        }

        private void push() {
            if (round - table.version() >= staleness) {
                return;
            }
            round++;
            overlay.begin();
            for (int slice = 0; slice < spec.slices(); slice++) {
                float[] update = grid(spec.sliceLength(slice), random.nextInt(3));
                long at = spec.sliceStart(slice) * Float.BYTES;
                filter.filter(update, 0, residual, at, update.length, round, block.wrap(room, 0));
                Push made = new Push(slice, round, applied[slice], decoded());
                if (block.count() > 0) {
                    overlay.pushed(slice, round, block);
                    room.fill((byte) -1); // the sender may overwrite the memory of the block
                }
                pushes.add(made);
                ofSlices.get(slice).add(made);
            }
        }

        /** A block as a receiver decodes it. */
        private float[] decoded() {
            MemorySegment sum = OffHeap.allocate((long) spec.sliceElements() * Float.BYTES);
            accumulator.restore(block, sum, 0);
            return sum.toArray(JAVA_FLOAT);
        }

        /** Values of which 16-bit types hold all digits. */
        private float[] grid(int length, int density) {
            float[] values = new float[length];
            for (int i = 0; i < length; i++) {
                values[i] = random.nextInt(3) < density ? random.nextInt(-100, 101) : 0;
            }
            return values;
        }

        /** Links keep the order of pushes. */
        private void receive(int count) {
            for (; received < count; received++) {
                pushes.get(received).received = true;
            }
        }

        private void finalise(int server) {
            long version = finalised[server] + 1;
            // No push is in flight for longer than two versions.
            for (int i = received; i < pushes.size(); i++) {
                Push push = pushes.get(i);
                if (table.isOwner(server, push.slice) && push.madeAt + 2 <= version) {
                    receive(i + 1);
                }
            }
            for (int slice = 0; slice < spec.slices(); slice++) {
                if (table.isOwner(server, slice) && received(slice) < version) {
                    return;
                }
            }
            finalised[server] = version;
            for (int slice = 0; slice < spec.slices(); slice++) {
                if (table.isOwner(server, slice)) {
                    broadcast(server, slice, version);
                }
            }
            broadcasts.get(server).add(new Frame(-1, version, null));
        }

        private long received(int slice) {
            return ofSlices.get(slice).stream()
                    .filter(push -> push.received)
                    .mapToLong(push -> push.round)
                    .max()
                    .orElse(0);
        }

        private void broadcast(int server, int slice, long version) {
            float[] sum = grid(spec.sliceElements(), random.nextInt(3));
            boolean isEmpty = true;
            for (Push push : ofSlices.get(slice)) {
                if (push.received && push.includedIn == 0) {
                    push.includedIn = version;
                    add(sum, push.values);
                }
            }
            for (float each : sum) {
                isEmpty &= each == 0;
            }
            if (!isEmpty) {
                broadcasts.get(server).add(new Frame(slice, version, sum));
            }
        }

        private static void add(float[] sum, float[] values) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += values[i];
            }
        }

        /** Polls; only the last version of each server may remain in flight. */
        private void poll() {
            for (int server = 0; server < servers; server++) {
                Queue<Frame> arriving = broadcasts.get(server);
                while (!arriving.isEmpty() && arriving.peek().version < finalised[server]) {
                    apply(server);
                }
            }
        }

        private void apply(int server) {
            Frame frame = broadcasts.get(server).poll();
            if (null == frame) {
                return;
            }
            if (frame.slice < 0) {
                table.intake().close(server, frame.version);
                for (int slice = 0; slice < spec.slices(); slice++) {
                    applied[slice] = table.isOwner(server, slice) ? frame.version : applied[slice];
                }
                return;
            }
            for (int i = 0; i < spec.sliceLength(frame.slice); i++) {
                long at = (spec.sliceStart(frame.slice) + i) * Float.BYTES;
                table.replica().set(JAVA_FLOAT, at, table.replica().get(JAVA_FLOAT, at) + frame.values[i]);
            }
            applied[frame.slice] = frame.version;
            overlay.applied(frame.slice, frame.version);
        }

        private void check() {
            overlay.refresh();
            for (int slice = 0; slice < spec.slices(); slice++) {
                float[] out = new float[spec.sliceElements()];
                for (Push push : ofSlices.get(slice)) {
                    checkCounted(push);
                    if (push.returnsWith() > applied[slice]) {
                        add(out, push.values);
                    }
                }
                for (int i = 0; i < spec.sliceLength(slice); i++) {
                    long at = (spec.sliceStart(slice) + i) * Float.BYTES;
                    assertEquals(table.replica().get(JAVA_FLOAT, at) + out[i], read.get(JAVA_FLOAT, at));
                }
            }
        }

        /** Updates that are not in the replica are read; applied updates are read again for one version at most. */
        private void checkCounted(Push push) {
            boolean isApplied = push.includedIn > 0 && push.includedIn <= applied[push.slice];
            boolean isOut = push.returnsWith() > applied[push.slice];
            assertTrue(isApplied || isOut, "an own update is missed");
            assertTrue(!isApplied || !isOut || applied[push.slice] == push.madeAt + 1, "an own update is read twice");
        }

        void drain() {
            receive(pushes.size());
            for (int server = 0; server < servers; server++) {
                while (finalised[server] < round) {
                    finalise(server);
                }
                while (!broadcasts.get(server).isEmpty()) {
                    apply(server);
                }
            }
            check();
            assertEquals(-1, read.mismatch(table.replica()), "bytes that differ once all has returned");
        }
    }
}
