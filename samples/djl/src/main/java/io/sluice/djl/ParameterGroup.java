package io.sluice.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.nn.SequentialBlock;
import ai.djl.util.Pair;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Parameters that one table holds: a single large one, or the small ones of a block, which one frame carries. The
 * name, the shape and the order depend on the structure of the model alone, so they are equal on all workers.
 *
 * @param name    name of the table
 * @param rows    its rows
 * @param columns floats of a row
 * @param members parameters with a gradient, in forward order
 */
record ParameterGroup(String name, int rows, int columns, List<Member> members) {
    /** Number of elements from which a parameter has a table of its own. */
    static final int LARGE = 1_024;

    /** Joined parameters begin at multiples of a cache line. */
    private static final int ALIGNMENT = 16;

    /**
     * A parameter and its place in the table.
     *
     * @param offset position of its first float
     * @param length number of its floats
     */
    record Member(Parameter parameter, int offset, int length) {}

    /**
     * The groups of the parameters of a block.
     *
     * @param name  name of the block, from which the names of tables are made
     * @param taken parameters that belong to earlier blocks; receives those of this one
     */
    static List<ParameterGroup> of(String name, Block block, Set<Parameter> taken) {
        List<ParameterGroup> groups = new ArrayList<>();
        List<Member> small = new ArrayList<>();
        for (Pair<String, Parameter> named : block.getParameters()) {
            Parameter parameter = named.getValue();
            if (!parameter.requiresGradient() || !taken.add(parameter)) {
                continue;
            }
            requireFit(name + "_" + named.getKey(), parameter.getArray());
            Shape shape = parameter.getArray().getShape();
            int length = Math.toIntExact(shape.size());
            if (length < LARGE) {
                small.add(new Member(parameter, Math.ceilDiv(end(small), ALIGNMENT) * ALIGNMENT, length));
            } else {
                int rows = Math.toIntExact(shape.get(0));
                List<Member> member = List.of(new Member(parameter, 0, length));
                groups.add(new ParameterGroup(name + "_" + named.getKey(), rows, length / rows, member));
            }
        }
        if (!small.isEmpty()) {
            groups.add(new ParameterGroup(name, 1, end(small), List.copyOf(small)));
        }
        return groups;
    }

    /** The position after the last member. */
    private static int end(List<Member> members) {
        return members.isEmpty()
                ? 0
                : members.getLast().offset() + members.getLast().length();
    }

    private static void requireFit(String name, NDArray array) {
        if (array.getDataType() != DataType.FLOAT32 || array.getDevice().isGpu()) {
            throw new IllegalArgumentException("parameter " + name + " is " + array.getDataType() + " on "
                    + array.getDevice() + ", expected float32 on cpu()");
        }
    }

    /** The top-level blocks of a model, in forward order, with their names. */
    static List<Pair<String, Block>> topLevel(Block block) {
        if (block instanceof SequentialBlock sequence && !sequence.isReturnIntermediate()) {
            List<Pair<String, Block>> blocks = new ArrayList<>();
            sequence.getChildren().forEach(blocks::add);
            return blocks;
        }
        return List.of(new Pair<>("parameters", block));
    }

    /** Number of floats of the table, those between its members included. */
    int size() {
        return rows * columns;
    }

    /** Values of the parameters, in the order of the table. */
    float[] inOrder(Function<Parameter, float[]> of) {
        float[] values = new float[size()];
        for (Member member : members) {
            System.arraycopy(of.apply(member.parameter()), 0, values, member.offset(), member.length());
        }
        return values;
    }
}
