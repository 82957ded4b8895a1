package io.sluice.perf.cluster;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Table;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** Checks of a worker's replica after a measurement. */
public final class Replica {
    private static final int HASHED_AT_ONCE = 1 << 18;

    private Replica() {}

    /** The value that an element must have. */
    @FunctionalInterface
    public interface Expected {
        float of(int element);
    }

    /** Refuses a replica with a value that differs from the expected one in any bit. */
    public static void require(Table table, Expected expected) {
        FloatView view = table.view();
        for (int i = 0; i < view.size(); i++) {
            float value = view.get(i);
            if (Float.compare(value, expected.of(i)) != 0) {
                throw new IllegalStateException(
                        "parameter " + i + " of table " + table.spec().name() + " is " + value + ", expected "
                                + expected.of(i) + ": updates were lost or duplicated");
            }
        }
    }

    /** A checksum, to compare replicas. */
    public static int hash(Table table) {
        CRC32C hash = new CRC32C();
        MemorySegment bytes = table.view().segment();
        for (long at = 0; at < bytes.byteSize(); at += HASHED_AT_ONCE) {
            hash.update(bytes.asSlice(at, Math.min(HASHED_AT_ONCE, bytes.byteSize() - at))
                    .asByteBuffer());
        }
        return (int) hash.getValue();
    }
}
