package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.policy.TableSite;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Frames with a valid checksum and hostile content, decoded as far as the checks allow. The target lies between guards,
 * in memory far larger than any slice, so a write outside is detected and not fatal.
 */
class HostileBlocksTest {
    private static final int MAX = 300;
    private static final int GUARD = 4 * BlockFormat.MAX_ELEMENTS;
    private static final int GUARDED = 256;

    private final FrameBuffer frame = FrameBuffer.forDataFrames(MAX);
    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameValidator validator = new FrameValidator(5, checksum);
    private final PayloadCompressor lz4 =
            PayloadCompressor.always(BlockCompressors.named("lz4"), SystemNanoClock.INSTANCE);
    private final DataFrameEncoder encoder = new DataFrameEncoder(MAX);
    private final MemorySegment target = Floats.room(2L * GUARD + 4L * MAX, 0);
    private final BlockAccumulator[] accumulators = {
        new BlockAccumulator(Kernels.vector()), new BlockAccumulator(Kernels.scalar())
    };
    private final UpdateFilter[] filters = Stream.concat(
                    ValueType.choices().stream().map(type -> exact(type)),
                    Stream.of("sign;group=64", "tern", "qsgd:2;group=32", "qsgd:100")
                            .map(spec -> FilterPolicies.named(spec).create(site(ValueType.F32))))
            .toArray(UpdateFilter[]::new);
    private float threshold;
    private int applied;

    private UpdateFilter exact(ValueType type) {
        return site(type).newFilter("any", _ -> threshold);
    }

    private static TableSite site(ValueType type) {
        return new TableSite(Kernels.preferred(), type, MAX, MAX);
    }

    @Tag("slow")
    @Test
    void nothingOutsideTheTargetIsWritten() {
        DataFrameDecoder decoder = new DataFrameDecoder(MAX, AcceptedCompressors.named("lz4"));
        Property.holds(60_000, random -> {
            int elements = random.nextInt(1, MAX + 1);
            int length = compose(random, elements);
            for (int i = random.nextInt(3); i > 0; i--) {
                int at = random.nextInt(random.nextBoolean() ? 40 : Frame.DATA_LENGTH, Math.max(length, 65));
                frame.buffer().putByte(at, (byte) random.nextInt());
            }
            checksum.write(frame.buffer(), 0, length);
            if (validator.validate(frame.buffer(), 0, length) == null
                    && decoder.wrap(frame.buffer(), 0, length) == null) {
                apply(decoder, elements);
            }
        });
        assertTrue(applied > 10_000, "too few applied to mean anything: " + applied);
        assertEquals(0, nonZeroBytes(0, GUARD));
        assertEquals(0, nonZeroBytes(GUARD + 4L * MAX, GUARD));
    }

    /** A frame as a filter makes it, of any format and type. */
    private int compose(SplittableRandom random, int elements) {
        float[] update = new float[elements];
        MemorySegment residual = Floats.room(4L * elements, 0);
        Inputs.fill(random, update, residual);
        Block block = frame.room(new Block());
        threshold = Inputs.threshold(random);
        filters[random.nextInt(filters.length)].filter(update, 0, residual, 0, elements, 1, block);
        PayloadCompressor compressor = random.nextBoolean() ? PayloadCompressor.never() : lz4;
        DataHeader header = new DataHeader().clusterId(5);
        return encoder.encode(frame, header, block, compressor, checksum);
    }

    private void apply(DataFrameDecoder decoder, int elements) {
        for (BlockAccumulator accumulator : accumulators) {
            try {
                applied += accumulator.add(decoder, target, GUARD, elements) == null ? 1 : 0;
                accumulator.overwrite(decoder, target, GUARD, elements);
            } catch (NotFiniteException _) {
                applied++; // values that are not finite are refused only after all are in the target
            }
        }
        assertEquals(0, nonZeroBytes(GUARD - GUARDED, GUARDED), "written before the target");
        long end = GUARD + 4L * elements;
        assertEquals(0, nonZeroBytes(end, GUARDED), "written behind the target");
        target.asSlice(GUARD, 4L * elements).fill((byte) 0);
    }

    private long nonZeroBytes(long from, long bytes) {
        long found = 0;
        for (long at = from; at < from + bytes; at += Long.BYTES) {
            found += target.get(JAVA_LONG_UNALIGNED, at) == 0 ? 0 : 1;
        }
        return found;
    }
}
