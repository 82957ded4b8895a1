package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import io.sluice.codecs.Levels;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Draws;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.LevelsKernel;
import io.sluice.filter.kernel.ValuesKernel;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Sends all elements of a slice as {@link ValueType#LEVELS}, or nothing of a slice of zeros. The clocks of the warm-up,
 * the first values, and slices of so few elements that f32 is shorter are sent exactly.
 *
 * <p>With a quantiser with feedback, the residual becomes the f32 difference of the sum and the value sent. So value
 * sent plus residual is the sum, except for one rounding of f32, at most 2<sup>-24</sup> of the residual. A quantiser
 * without feedback leaves no residual, and the difference is lost.
 *
 * <p>Random numbers follow from the site, the slice, the clock and the element, see {@link Draws}.
 */
public final class QuantisingFilter extends SummingFilter {
    private final String name;
    private final Quantiser quantiser;
    private final int group;
    private final long warmUp;
    private final long stream;
    private final UpdateFilter exact;
    private final QuantisedGroup values;
    private final ClockBound bound = new ClockBound();
    private final MemorySegment scratch;
    private final long numbers;
    private final long sent;

    /**
     * Creates a filter.
     *
     * @param name name of the policy, for reports
     * @param quantiser chooses the scales and numbers that are sent
     * @param group elements of a group: a multiple of 32, or 0 for whole slices
     * @param warmUp clocks that are sent exactly
     * @param stream stream of the random numbers, which no other filter of the job has
     * @param kernels kernels to run
     * @param maxElements elements of a slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param exact filter that sends all, for this filter alone
     */
    public QuantisingFilter(
            String name,
            Quantiser quantiser,
            int group,
            long warmUp,
            long stream,
            Kernels kernels,
            int maxElements,
            UpdateFilter exact) {
        super(kernels);
        this.name = name;
        this.quantiser = quantiser;
        this.group = group;
        this.warmUp = warmUp;
        this.stream = stream;
        this.exact = exact;
        this.values = new QuantisedGroup(kernels);
        long room = (long) maxElements * Float.BYTES + Math.max(LevelsKernel.SLACK, ValuesKernel.SLACK);
        this.scratch = OffHeap.allocate(2 * room);
        this.numbers = scratch.address();
        this.sent = numbers + room;
    }

    @Override
    public void encodeResidual(MemorySegment residual, long residualOffset, int elements, long clock, Block out) {
        int length = Levels.length(quantiser.kind(), quantiser.width(), group, elements);
        if (clock <= warmUp || length >= ValueType.F32.minLength(elements)) {
            exact.encodeResidual(residual, residualOffset, elements, clock, out);
            return;
        }
        long sums = OffHeap.writableAddress(residual, residualOffset, elements, "residual");
        OffHeap.writableAddress(
                out.segment(), out.offset(), BlockFormat.maxLength(elements) / Float.BYTES, "the block");
        float greatest = kernels.values().maxAbs(sums, elements);
        if (!Float.isFinite(greatest)) {
            throw NotFiniteException.in(
                    residual,
                    residualOffset,
                    elements,
                    i -> residual.get(JAVA_FLOAT_UNALIGNED, residualOffset + 4L * i));
        }
        if (greatest == 0) {
            out.set(BlockFormat.EMPTY, ValueType.LEVELS, elements, 0, 0);
        } else {
            long key = Draws.mix(Draws.mix(stream, residualOffset / Float.BYTES), clock);
            quantise(sums, elements, key, OffHeap.address(out));
            out.set(BlockFormat.DENSE, ValueType.LEVELS, elements, elements, length);
            storeResidual(sums, elements, OffHeap.address(out));
        }
        bound.raise(clock, kernels.values().maxAbs(sums, elements));
        Reference.reachabilityFence(residual);
        Reference.reachabilityFence(out);
        Reference.reachabilityFence(this);
    }

    private void quantise(long sums, int elements, long key, long column) {
        int kind = quantiser.kind();
        int width = quantiser.width();
        int size = group == 0 ? elements : group;
        long scales = column + Levels.HEADER_LENGTH;
        Levels.write(column, kind, width, group);
        for (int first = 0; first < elements; first += size, scales += Levels.scaleLength(kind)) {
            long offset = (long) first * Float.BYTES;
            values.of(sums + offset, Math.min(size, elements - first), key, first);
            quantiser.quantise(values, scales, numbers + offset);
        }
        kernels.levels().pack(kind, width, numbers, elements, scales);
    }

    /** Sets the residual to the part of the sums that was not sent; without feedback, to 0. */
    private void storeResidual(long sums, int elements, long column) {
        if (quantiser.keepsLoss()) {
            kernels.levels().decode(column, elements, sent);
        }
        kernels.values().subtract(quantiser.keepsLoss() ? sent : sums, elements, sums);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public float threshold(long clock) {
        return Math.max(exact.threshold(clock), bound.of(clock));
    }
}
