package io.sluice.djl;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import ai.djl.ndarray.NDArray;
import ai.djl.nn.Parameter;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/** A table whose replica is the memory of some parameters, and whose updates are their gradients. */
final class ParameterTable {
    private final ParameterGroup group;
    private final Table table;

    /** Collects the gradients of several parameters; null for a single one, whose gradient is pushed where it is. */
    private final MemorySegment joined;

    private int collected;
    private long collectedIn = -1;
    private long gated = -1;

    /** Declares the table. */
    ParameterTable(Worker worker, ParameterGroup group) {
        this.group = group;
        this.table = worker.table(group.name(), group.rows(), group.columns());
        this.joined = group.members().size() == 1
                ? null
                : Arena.ofAuto().allocate((long) group.size() * Float.BYTES, Float.BYTES);
    }

    Table table() {
        return table;
    }

    ParameterGroup group() {
        return group;
    }

    /** Moves the values of the parameters into the replica, where every sync changes them. */
    void attach() {
        MemorySegment replica = table.view().segment();
        for (ParameterGroup.Member member : group.members()) {
            MemorySegment part =
                    replica.asSlice((long) member.offset() * Float.BYTES, (long) member.length() * Float.BYTES);
            member.parameter().getArray().set(part.asByteBuffer().order(ByteOrder.nativeOrder()));
        }
    }

    /** Applies what the iteration after a clock needs, once. */
    void gate(long clock) {
        if (gated != clock) {
            gated = clock;
            table.sync();
        }
    }

    /**
     * Scales a gradient in place, and resets it; pushes the table once it has the gradients of all its parameters.
     *
     * @param clock clock of the update
     */
    void update(Parameter parameter, NDArray gradient, float factor, long clock) {
        if (collectedIn != clock) {
            collectedIn = clock;
            collected = 0;
        }
        if (gradient.isSparse()) {
            throw new IllegalArgumentException("the gradient of parameter " + parameter.getName() + " in table "
                    + group.name() + " is sparse, expected a dense one");
        }
        MemorySegment floats = MemorySegment.ofBuffer(gradient.toByteBuffer(true));
        try {
            push(parameter, floats, factor);
        } finally {
            floats.fill((byte) 0); // gradients accumulate
        }
    }

    private void push(Parameter parameter, MemorySegment floats, float factor) {
        long length = floats.byteSize() / Float.BYTES;
        for (long i = 0; i < length; i++) {
            floats.setAtIndex(JAVA_FLOAT, i, factor * floats.getAtIndex(JAVA_FLOAT, i));
        }
        collected++;
        if (joined == null) {
            table.update(floats);
        } else {
            MemorySegment.copy(floats, 0, joined, offset(parameter), floats.byteSize());
            if (collected == group.members().size()) {
                table.update(joined);
            }
        }
    }

    private long offset(Parameter parameter) {
        for (ParameterGroup.Member member : group.members()) {
            if (member.parameter() == parameter) {
                return (long) member.offset() * Float.BYTES;
            }
        }
        throw new IllegalArgumentException("table " + group.name() + " has no parameter " + parameter.getName());
    }
}
