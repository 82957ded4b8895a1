package io.sluice.consistency.wire;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.messaging.counters.CounterFamily;
import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import java.util.Locale;

/** Publishes how many bytes compression saved in a node's frames, by class of frames. For the thread that writes. */
final class CompressionSavings {
    private static final int TYPES = ValueType.values().length;

    private final CounterFamily saved;

    CompressionSavings(CounterGroup counters) {
        saved = new CounterFamily(counters, CounterType.NODE_BYTES_SAVED, BlockFormat.values().length * TYPES);
    }

    void add(BlockFormat format, ValueType values, int bytes) {
        int frameClass = format.ordinal() * TYPES + values.ordinal();
        if (!saved.has(frameClass)) {
            saved.open(frameClass, (format + " " + values).toLowerCase(Locale.ROOT));
        }
        saved.add(frameClass, bytes);
    }
}
