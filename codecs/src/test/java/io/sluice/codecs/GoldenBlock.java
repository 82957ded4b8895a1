package io.sluice.codecs;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** A block as the protocol defines it, and its content. */
record GoldenBlock(String name, BlockFormat format, ValueType type, int elements, int[] indices, byte[] bytes) {
    private static final List<GoldenBlock> WRITTEN = read("blocks.txt");
    private static final List<GoldenBlock> LOOSE = read("loose-blocks.txt");

    /** The blocks that senders write. */
    static List<GoldenBlock> written() {
        return WRITTEN;
    }

    /** The blocks that senders write, and those that only receivers accept. */
    static List<GoldenBlock> all() {
        return Stream.concat(WRITTEN.stream(), LOOSE.stream()).toList();
    }

    int count() {
        return indices.length;
    }

    /** Puts the block after the room for the root of a data frame. */
    Block copyTo(FrameBuffer frame) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, frame.segment(), Frame.DATA_LENGTH, bytes.length);
        return frame.room(new Block()).set(format, type, elements, count(), bytes.length);
    }

    @Override
    public String toString() {
        return name;
    }

    private static List<GoldenBlock> read(String file) {
        return GoldenLines.of(file).stream().map(GoldenBlock::of).toList();
    }

    private static GoldenBlock of(String[] words) {
        int[] indices = words[4].equals("-")
                ? new int[0]
                : Stream.of(words[4].split(",")).mapToInt(Integer::parseInt).toArray();
        byte[] bytes = words[6].equals("-") ? new byte[0] : HexFormat.of().parseHex(words[6]);
        return new GoldenBlock(
                words[0],
                BlockFormat.valueOf(words[1]),
                ValueType.valueOf(words[2]),
                Integer.parseInt(words[3]),
                indices,
                bytes);
    }
}
