package io.sluice.samples.lr;

import io.sluice.codecs.Frame;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.messaging.Channels;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import io.sluice.samples.descent.Batches;
import io.sluice.samples.descent.DescentSettings;
import java.util.Arrays;

/**
 * Computes, without running them, the bytes of the two ways to train with which a filter is compared. Both depend only
 * on the examples of each batch: dense push-pull moves every parameter, and the exact update protocol moves the
 * elements that are not zero, those of each worker to servers, and then their union to each worker.
 *
 * <p>Bytes are those in the Aeron log, as in all reports of Sluice: frames with their headers and alignment, data
 * only, no round commits.
 */
public final class Traffic {
    private static final int AERON_HEADER = 32;

    private final Dataset data;
    private final DescentSettings settings;
    private final int workers;
    private final TableSpec table;

    /**
     * Describes the training.
     *
     * @param data training data
     * @param settings settings of the training: clocks, batches, learning rate and seed
     * @param workers number of workers
     * @param sliceElements elements of the table
     */
    public Traffic(Dataset data, DescentSettings settings, int workers, int sliceElements) {
        this.data = data;
        this.settings = settings;
        this.workers = workers;
        this.table = new TableSpec(0, "weights", 1, data.features(), sliceElements);
    }

    /** Number of bytes that push-pull of dense f32 moves: as many pushed as pulled. */
    public long dense() {
        long once = 0;
        for (int slice = 0; slice < table.slices(); slice++) {
            once += frame(table.sliceLength(slice), table.sliceLength(slice));
        }
        return 2 * once * workers * settings.clocks();
    }

    /**
     * Number of bytes of all elements of updates that are not zero, pushed and broadcast, as f32 with plain indices: a
     * bitmap or 16 bits each. (The updates themselves are sent with packed deltas if that is shorter, and so take
     * less.)
     */
    public long exact() {
        Batches[] batches = new Batches[workers];
        Arrays.setAll(batches, worker -> new Batches(data.train().size(), worker, workers, settings));
        int[] lastPush = new int[data.features()];
        int[] pushed = new int[table.slices()];
        int[] broadcast = new int[table.slices()];
        long bytes = 0;
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            for (int worker = 0; worker < workers; worker++) {
                int push = (clock - 1) * workers + worker + 1;
                for (int batch = 0; batch < settings.batches(); batch++) {
                    count(batches[worker].rows(clock, batch), push, lastPush, pushed);
                }
                bytes += take(pushed);
            }
            for (int feature = 0; feature < lastPush.length; feature++) {
                if (lastPush[feature] > (clock - 1) * workers) {
                    broadcast[feature / table.sliceElements()]++;
                }
            }
            bytes += workers * take(broadcast);
        }
        return bytes;
    }

    private void count(int[] rows, int push, int[] last, int[] counts) {
        Examples train = data.train();
        for (int row : rows) {
            for (int entry = train.start(row); entry < train.end(row); entry++) {
                int feature = train.index(entry);
                if (last[feature] < push) {
                    last[feature] = push;
                    counts[feature / table.sliceElements()]++;
                }
            }
        }
    }

    private long take(int[] counts) {
        long bytes = 0;
        for (int slice = 0; slice < counts.length; slice++) {
            bytes += counts[slice] > 0 ? frame(table.sliceLength(slice), counts[slice]) : 0;
            counts[slice] = 0;
        }
        return bytes;
    }

    private static long frame(int elements, int count) {
        BlockFormat format = BlockFormat.cheapest(ValueType.F32, elements, count);
        int sent = format == BlockFormat.DENSE ? elements : count;
        int left = Frame.DATA_LENGTH + format.minLength(ValueType.F32, elements, sent);
        int most = Channels.maxUnfragmentedLength(ChannelSettings.MAX_MTU);
        long bytes = 0;
        for (; left > 0; left -= most) {
            int piece = Math.min(left, most) + AERON_HEADER;
            bytes += (piece + AERON_HEADER - 1) & -AERON_HEADER;
        }
        return bytes;
    }
}
