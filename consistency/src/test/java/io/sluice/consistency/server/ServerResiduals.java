package io.sluice.consistency.server;

import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;

/** The residuals of a table at all servers. To be read while no push is in flight. */
public final class ServerResiduals {
    private ServerResiduals() {}

    /** Adds the residuals of one server to an array over the table's elements. */
    public static void addTo(float[] residuals, Server server, TableSpec spec) {
        TableShard table = ((Shard) read(server, "shard")).table(spec.id());
        if (null == table) {
            return;
        }
        SliceStore sums = table.sums();
        for (int slice = 0; slice < spec.slices(); slice++) {
            int position = table.position(slice);
            for (int i = 0; position >= 0 && i < spec.sliceLength(slice); i++) {
                long at = sums.offset(position) + (long) i * Float.BYTES;
                residuals[(int) spec.sliceStart(slice) + i] += sums.segment().get(ValueLayout.JAVA_FLOAT, at);
            }
        }
    }

    private static Object read(Object owner, String field) {
        try {
            Field found = owner.getClass().getDeclaredField(field);
            found.setAccessible(true);
            return found.get(owner);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the test no longer fits " + owner.getClass(), e);
        }
    }
}
