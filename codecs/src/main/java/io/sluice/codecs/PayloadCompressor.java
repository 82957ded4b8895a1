package io.sluice.codecs;

import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Compresses the blocks of a sender's data frames in place: never, always by one compressor, or by the one of several
 * that {@link CompressionGate} finds to pay. A block that would not get shorter stays as it is.
 *
 * <p>One per thread. Allocates nothing per frame: working memory comes with the first frame and with the first probe.
 */
public final class PayloadCompressor {
    private static final int UNCOMPRESSED = -1;

    private final BlockCompressor[] compressors;
    private final CompressionGate gate;
    private final NanoClock clock;
    private final CompressionCounters counters;
    private FrameBuffer packed;
    private FrameBuffer unpacked;
    private int code = NoCompressor.CODE;

    private PayloadCompressor(NanoClock clock, CompressionGate gate, BlockCompressor... compressors) {
        this.clock = clock;
        this.gate = gate;
        this.compressors = compressors;
        String[] names = new String[compressors.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = compressors[i].name();
        }
        this.counters = new CompressionCounters(names);
    }

    /** Leaves every block as it is, and looks at none. */
    public static PayloadCompressor never() {
        return new PayloadCompressor(null, null);
    }

    /**
     * Tries one compressor on every block.
     *
     * @param compressor of the same thread; {@code none} makes this the same as {@link #never}
     * @param clock measures it
     */
    public static PayloadCompressor always(BlockCompressor compressor, NanoClock clock) {
        return compressor.code() == NoCompressor.CODE ? never() : new PayloadCompressor(clock, null, compressor);
    }

    /**
     * Uses for each class of frames the compressor that pays best on a link, or none.
     *
     * @param linkBytesPerSecond how fast the link is, until {@link #linkRate} says otherwise; above 0
     * @param clock measures the candidates
     * @param candidates of the same thread, one or more
     * @throws IllegalArgumentException if there is no candidate, or the rate is not a finite number above 0
     */
    public static PayloadCompressor gated(double linkBytesPerSecond, NanoClock clock, BlockCompressor... candidates) {
        if (candidates.length == 0) {
            throw new IllegalArgumentException("no candidate compressors, expected one or more");
        }
        return new PayloadCompressor(
                clock, new CompressionGate(candidates.length, linkBytesPerSecond), candidates.clone());
    }

    /**
     * Tells how fast the link is, from now on. Changes nothing unless there is a gate.
     *
     * @param bytesPerSecond what reaches the receiver when the link is full; above 0
     * @throws IllegalArgumentException if there is a gate and the rate is not a finite number above 0
     */
    public void linkRate(double bytesPerSecond) {
        if (gate != null) {
            gate.linkRate(bytesPerSecond);
        }
    }

    /** What was done so far: a copy. To be read by the thread that compresses, or after it has ended. */
    public CompressionReport report() {
        return counters.report((frameClass, compressor) -> verdict(frameClass) == compressor ? 1 : 0);
    }

    /**
     * Compresses the block of a frame where that is to be done. The payload is then what {@link #code} says.
     *
     * @param frame holding the block at {@link Frame#DATA_LENGTH}
     * @param block what is there
     * @param values type of its values
     * @return length of the payload
     */
    int compress(FrameBuffer frame, Block block, ValueType values) {
        code = NoCompressor.CODE;
        int length = block.length();
        if (compressors.length == 0 || length == 0) {
            return length;
        }
        int frameClass = FrameClass.of(block.format(), values);
        int chosen = gate == null ? 0 : gate.next(frameClass);
        if (chosen == CompressionGate.OFF) {
            return length;
        }
        int shorter = attempt(frame, length, frameClass, chosen);
        if (shorter == UNCOMPRESSED) {
            return length;
        }
        frame.buffer().putBytes(Frame.DATA_LENGTH, packed.buffer(), 0, shorter);
        code = compressors[chosen].code();
        counters.onSent(frameClass, chosen, length - shorter);
        return shorter;
    }

    /** The code of the compressor that made the payload last returned. */
    int code() {
        return code;
    }

    /** Compresses a block aside. Returns its new length if it is shorter and to be sent so. */
    private int attempt(FrameBuffer frame, int length, int frameClass, int chosen) {
        BlockCompressor compressor = compressors[chosen];
        UnsafeBuffer target = roomFor(compressor, frame).buffer();
        long startNs = clock.nanoTime();
        int made = compressor.compress(frame.buffer(), Frame.DATA_LENGTH, length, target, 0, target.capacity());
        long ns = clock.nanoTime() - startNs;
        boolean shorter = made >= 0 && made < length;
        int out = shorter ? made : length;
        counters.onTried(frameClass, chosen, length, out, ns);
        boolean pays = gate == null || judge(frameClass, chosen, length, out, ns);
        return shorter && pays ? made : UNCOMPRESSED;
    }

    private boolean judge(int frameClass, int chosen, int length, int out, long ns) {
        if (gate.isProbing() && out < length) {
            gate.decoded(frameClass, chosen, length, decodeNs(compressors[chosen], out, length));
        }
        return gate.encoded(frameClass, chosen, length, out, ns);
    }

    /** Does what the receiver would have to do, to see how long it takes. */
    private long decodeNs(BlockCompressor compressor, int packedLength, int length) {
        if (unpacked == null || unpacked.capacity() < length) {
            unpacked = new FrameBuffer(packed.capacity());
        }
        long startNs = clock.nanoTime();
        int restored = compressor.decompress(packed.buffer(), 0, packedLength, unpacked.buffer(), 0, length);
        long ns = clock.nanoTime() - startNs;
        if (restored != length) {
            throw new IllegalStateException("compressor " + compressor.name() + " does not restore what it made: "
                    + restored + " bytes instead of " + length);
        }
        return ns;
    }

    /** Room for the worst that a compressor makes of the longest block that a frame buffer can hold. */
    private FrameBuffer roomFor(BlockCompressor compressor, FrameBuffer frame) {
        int needed = compressor.maxCompressedLength(frame.capacity() - Frame.DATA_LENGTH);
        if (packed == null || packed.capacity() < needed) {
            packed = new FrameBuffer(needed);
        }
        return packed;
    }

    private int verdict(int frameClass) {
        return gate == null ? 0 : gate.verdict(frameClass);
    }
}
