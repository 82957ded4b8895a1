package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.ValueLayout;

/**
 * The index column of {@link BlockFormat#RUNS}, for updates of whole rows: for each run of elements that have values,
 * it holds the first element and the one after the last. These boundaries ascend, so {@link RiceDeltas} codes them in
 * the same way as indices. A run that reaches the end of the slice has no second boundary.
 *
 * <table>
 * <caption>Layout for {@code b} boundaries</caption>
 * <tr><th>bytes</th><th>what</th></tr>
 * <tr><td>2</td><td>b, u16, 1 to 65,535</td></tr>
 * <tr><td>2</td><td>zero</td></tr>
 * <tr><td>varies</td><td>{@link RiceDeltas} of the boundaries</td></tr>
 * </table>
 *
 * <p>Two boundaries are never equal, so runs are as long as they can be, and a set of elements has one column for each
 * width of the deltas.
 */
public final class RunBoundaries {
    /** Number of bytes before the deltas. */
    public static final int HEADER_LENGTH = 4;

    /** The maximum number of boundaries in a column. */
    public static final int MOST = 0xFFFF;

    private static final ValueLayout.OfShort U16 = JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private RunBoundaries() {}

    /** Length of the shortest possible column. */
    public static int minLength() {
        return HEADER_LENGTH + RiceDeltas.minLength(1);
    }

    /** Number of boundaries of a column in memory. */
    public static int count(long address) {
        return OffHeap.ALL.get(U16, address) & 0xFFFF;
    }

    /**
     * Length of a column in memory.
     *
     * @param address address of its first byte; {@link #minLength()} bytes must be readable
     * @return bytes, or -1 if the width is out of range
     */
    static int length(long address) {
        int length = RiceDeltas.length(address + HEADER_LENGTH, count(address));
        return length < 0 ? -1 : HEADER_LENGTH + length;
    }

    /**
     * Whether the runs of a column, whose {@link #length} has been checked, lie in the slice and cover {@code count}
     * values.
     */
    static boolean isValid(long address, int elements, int count) {
        int boundaries = count(address);
        long deltas = address + HEADER_LENGTH;
        long last = RiceDeltas.last(deltas, boundaries);
        if (last < 0 || last >= elements || OffHeap.ALL.get(U16, address + Short.BYTES) != 0) {
            return false;
        }
        // Every second delta is the length of a run, less one.
        long inRuns = RiceDeltas.sumOfEverySecond(deltas, boundaries) + boundaries / 2;
        boolean reachesTheEnd = (boundaries & 1) != 0;
        return inRuns + (reachesTheEnd ? elements - last : 0) == count;
    }
}
