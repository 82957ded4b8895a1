package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.SignificantSlices;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.outbox.Outbox;
import java.util.Arrays;
import java.util.List;

/**
 * Managed communication at a worker (Boesen, section 3.3): the worker sends parts of residuals before their clock ends,
 * the most significant slices first, when a link's queue is empty and its budget is not used up.
 *
 * <p>A part of a slice consists of the residual's elements above the threshold of the table's last clock; in the first
 * clock there is no such threshold, so nothing is sent early. The filter itself still processes each slice once per
 * clock, at the end of the clock.
 *
 * <p>For the trainer's thread. Allocates nothing after construction.
 */
final class EarlyPushes implements EarlyStage {
    /** Maximum number of frames that one call hands to a link. */
    private static final int MOST_AT_ONCE = 16;

    /** Maximum number of slices with increments by {@link Table#inc} that one call without an update inspects. */
    private static final int LOOKS = 16;

    private static final float NOT_YET = -1;

    private final PushRoutes pushes;
    private final List<Table> tables;
    private final Kernels kernels;
    private final WorkerStats stats;
    private final SliceRanking ranking;

    /** The encoder of the values of each table, by table id. */
    private final SliceFilter[] mechanisms;

    /** The threshold of each table in the last clock, by table id. */
    private final float[] thresholds;

    /** The table of each key. */
    private final int[] tableOf;

    private final int[] places;

    /** The key of each slice, by server and number among the slices of the server. */
    private final int[][] keys;

    private final SignificantSlices[] candidates;

    /** Keys of the slices with increments that have not been inspected yet, in a ring. */
    private final int[] touched;

    /** Whether a key is in the ring. */
    private final boolean[] isTouched;

    private int firstTouched;
    private int touchedCount;

    EarlyPushes(ClusterSettings settings, PushRoutes pushes, List<Table> tables, Kernels kernels, WorkerStats stats) {
        this.pushes = pushes;
        this.tables = tables;
        this.kernels = kernels;
        this.stats = stats;
        List<TableSpec> specs = tables.stream().map(Table::spec).toList();
        this.ranking = new SliceRanking(settings, specs, kernels);
        this.mechanisms = specs.stream()
                .map(spec -> Policies.newSliceFilter(settings, spec, kernels))
                .toArray(SliceFilter[]::new);
        this.thresholds = new float[tables.size()];
        Arrays.fill(thresholds, NOT_YET);
        int slices = specs.stream().mapToInt(TableSpec::slices).sum();
        this.tableOf = new int[slices];
        this.places = new int[slices];
        this.touched = new int[slices];
        this.isTouched = new boolean[slices];
        this.keys = new int[settings.serverPlaces()][slices];
        this.candidates = new SignificantSlices[settings.serverPlaces()];
        number();
    }

    private void number() {
        int[] counts = new int[keys.length];
        int key = 0;
        for (Table table : tables) {
            for (int slice = 0; slice < table.spec().slices(); slice++) {
                int server = table.owner(slice);
                tableOf[key] = table.spec().id();
                places[key] = counts[server];
                keys[server][counts[server]++] = key++;
            }
        }
        for (int server = 0; server < keys.length; server++) {
            keys[server] = Arrays.copyOf(keys[server], counts[server]);
            candidates[server] = new SignificantSlices(counts[server]);
        }
    }

    /** Ranks a slice of which an element could be sent. */
    @Override
    public void changed(Table table, int slice, long round) {
        int id = table.spec().id();
        if (thresholds[id] < 0) {
            return;
        }
        int key = table.firstKey() + slice;
        SignificantSlices waiting = candidates[table.owner(slice)];
        int elements = table.spec().sliceLength(slice);
        long at = table.spec().sliceStart(slice) * Float.BYTES;
        long change = OffHeap.address(table.residual(), at, elements, "residual");
        if (kernels.values().maxAbs(change, elements) > thresholds[id]) {
            long turn = waiting.turn(places[key]);
            waiting.offer(places[key], ranking.rank(table, slice, round, turn, change));
        } else {
            waiting.drop(places[key]);
        }
    }

    @Override
    public void touched(Table table, long element) {
        touch(table.firstKey() + (int) (element / table.spec().sliceElements()));
    }

    private void touch(int key) {
        if (!isTouched[key]) {
            isTouched[key] = true;
            touched[(firstTouched + touchedCount++) % touched.length] = key;
        }
    }

    /** Inspects the next few slices with increments, if the round of their table is open and may be pushed. */
    private void look(long round, long requiredVersion) {
        for (int looks = Math.min(LOOKS, touchedCount); looks > 0; looks--) {
            int key = touched[firstTouched];
            firstTouched = (firstTouched + 1) % touched.length;
            touchedCount--;
            isTouched[key] = false;
            Table table = tables.get(tableOf[key]);
            if (table.pushedRound() < round && table.version() >= requiredVersion) {
                changed(table, key - table.firstKey(), round);
            } else {
                touch(key);
            }
        }
    }

    @Override
    public void added() {
        pushes.invoke();
        send();
    }

    @Override
    public int work(long round, long requiredVersion) {
        look(round, requiredVersion);
        return send();
    }

    private int send() {
        int frames = 0;
        for (int server = 0; server < candidates.length; server++) {
            frames += send(server);
        }
        return frames;
    }

    private int send(int server) {
        PushChannel channel = pushes.channel(server);
        int most = Math.min(channel.spare(), MOST_AT_ONCE);
        int frames = 0;
        while (frames < most) {
            int slot = channel.claimAtOnce();
            if (Outbox.NONE == slot) {
                return frames;
            }
            int place = candidates[server].take();
            if (SignificantSlices.NONE == place) {
                channel.abandon(slot);
                return frames;
            }
            publish(channel, slot, keys[server][place]);
            frames++;
        }
        return frames;
    }

    private void publish(PushChannel channel, int slot, int key) {
        Table table = tables.get(tableOf[key]);
        TableSpec spec = table.spec();
        int slice = key - table.firstKey();
        Block block = channel.newBlock(slot);
        int elements = spec.sliceLength(slice);
        long at = spec.sliceStart(slice) * Float.BYTES;
        mechanisms[spec.id()].encodeResidual(table.residual(), at, elements, thresholds[spec.id()], block);
        if (0 == block.count()) {
            // a later addition has brought the element for which the slice was queued below the threshold
            channel.abandon(slot);
            return;
        }
        stats.onEarly(block.count());
        channel.publishEarly(
                slot, spec.id(), slice, key, ranking.rankEarly(block, table, slice, table.pushedRound() + 1));
    }

    @Override
    public void closed(Table table, long round, float threshold) {
        int first = table.firstKey();
        for (int slice = 0; slice < table.spec().slices(); slice++) {
            candidates[table.owner(slice)].drop(places[first + slice]);
        }
        thresholds[table.spec().id()] = round > 0 ? threshold : NOT_YET;
    }
}
