package io.sluice.perf.codecs;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.perf.updates.TableShape;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A way to encode a slice for the wire. */
record Combination(BlockFormat format, ValueType values, String compressor) implements Serializable {
    /** The combination of the Parameter Flow paper: a dense array with zeros, compressed by snappy. */
    static final Combination PAPER = new Combination(BlockFormat.DENSE, ValueType.F32, "snappy");

    private static final List<BlockFormat> FORMATS =
            List.of(BlockFormat.DENSE, BlockFormat.BITMAP, BlockFormat.INDEX, BlockFormat.DELTA, BlockFormat.RUNS);

    /**
     * All combinations whose blocks a frame may carry: none is longer than {@link BlockFormat#maxLength}. The paper's
     * combination is always among them.
     */
    static List<Combination> all(TableShape shape, List<ValueType> types, List<String> compressors) {
        List<Combination> all = new ArrayList<>(List.of(PAPER));
        for (BlockFormat format : FORMATS) {
            for (ValueType type : types) {
                if (fits(shape, format, type)) {
                    compressors.forEach(compressor -> all.add(new Combination(format, type, compressor)));
                }
            }
        }
        return all.stream().distinct().toList();
    }

    private static boolean fits(TableShape shape, BlockFormat format, ValueType type) {
        FilteredSlices slices = new FilteredSlices(shape, roundsToBf16(type));
        BlockWriter writer = new BlockWriter(format, type);
        FrameBuffer frame = BlockWriter.frame();
        Block block = new Block();
        boolean fits = true;
        for (int slice = 0; slice < slices.size(); slice++) {
            writer.write(slices, slice, frame.room(block));
            fits &= block.length() <= BlockFormat.maxLength(slices.elements(slice));
        }
        return fits;
    }

    static boolean roundsToBf16(ValueType type) {
        return type.plain() == ValueType.BF16;
    }

    String formatWord() {
        return format.name().toLowerCase(Locale.ROOT);
    }

    /** Its name: format, values, and compressor if any. */
    String configName() {
        return formatWord() + " " + values.configName() + (compressor.equals("none") ? "" : " " + compressor);
    }
}
