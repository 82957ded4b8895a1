package io.sluice.consistency.worker;

import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.Tally;
import io.sluice.tree.FrameOrder;
import io.sluice.tree.Ways;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/** Asks for what a receiver misses, as the trainers and relays of workers do, for tests of other packages. */
public final class AskingReceiver {
    private final MissingFrames missing;

    /** Whether a tree carries slices of a table to the receiver. */
    public interface Expected {
        boolean expects(int tree, int table);
    }

    /** Of a receiver that takes what is due in an order. */
    public AskingReceiver(
            FrameOrder order,
            Expected expected,
            LongSupplier versionBroadcast,
            IntFunction<Link> opening,
            FrameWriter writer,
            Ways ways,
            int tables,
            boolean relay,
            long silenceNs,
            Tally asked) {
        MissingFrames.Due due = new MissingFrames.Due() {
            @Override
            public boolean expects(int tree, int table) {
                return expected.expects(tree, table);
            }

            @Override
            public long clock(int tree, int table) {
                return order.clock(tree, table);
            }

            @Override
            public int sequence(int tree, int table) {
                return order.sequence(tree, table);
            }

            @Override
            public long versionBroadcast() {
                return versionBroadcast.getAsLong();
            }
        };
        missing = new MissingFrames(due, opening, writer, ways, tables, relay, System::nanoTime, silenceNs, asked);
    }

    public Action ahead(int tree) {
        return missing.ahead(tree);
    }

    public void arrived(int tree) {
        missing.arrived(tree);
    }

    public void changed(int tree) {
        missing.changed(tree);
    }

    public int work(long nowNs) {
        return missing.work(nowNs);
    }
}
