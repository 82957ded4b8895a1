package io.sluice.perf.codecs;

import io.sluice.codecs.OffHeap;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.BenchmarkSpec;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One direction of a combination. The compressors and both directions of one format and one type of values share a
 * JVM: compressors are native code, and the loops of the two directions are different ones.
 *
 * @param direction {@link #ENCODE} or {@link #DECODE}
 */
record CodecSpec(Combination combination, String direction, TableShape shape) implements BenchmarkSpec {
    /** The direction from bitmap and values to the frame. */
    static final String ENCODE = "encode";

    /** The direction from the frame to the replica. */
    static final String DECODE = "decode";

    private static final long FRAMES = 1 << 24;

    /** Both directions of each combination. */
    static List<CodecSpec> all(List<Combination> combinations, TableShape shape) {
        List<CodecSpec> all = new ArrayList<>();
        for (Combination combination : combinations) {
            all.add(new CodecSpec(combination, ENCODE, shape));
            all.add(new CodecSpec(combination, DECODE, shape));
        }
        return all;
    }

    @Override
    public String name() {
        return direction + " " + combination.configName();
    }

    @Override
    public String group() {
        return combination.formatWord() + " " + combination.values().configName();
    }

    @Override
    public long elements() {
        return shape.elements();
    }

    @Override
    public long memory() {
        return shape.memory() + FRAMES;
    }

    @Override
    public List<Benchmark> prepare() {
        EncodeBenchmark encode = new EncodeBenchmark(shape, combination);
        if (!direction.equals(DECODE)) {
            return List.of(encode);
        }
        MemorySegment replica = OffHeap.allocate((long) shape.part() * Float.BYTES);
        return List.of(new ApplyBenchmark(
                shape, encode.frames(), Kernels.preferred(), () -> replica, combination.compressor()));
    }
}
