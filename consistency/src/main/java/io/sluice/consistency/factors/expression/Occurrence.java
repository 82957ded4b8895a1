package io.sluice.consistency.factors.expression;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * A node in the graph of a loss, and one way to it.
 *
 * @param node    the node
 * @param of      the node of which it is an operand; null for the loss
 * @param operand which operand it is, from 1
 */
record Occurrence(Expression node, Occurrence of, int operand) {
    /**
     * All nodes of a loss once, in the order of a traversal in which the operands precede the operator, from the first.
     *
     * @throws IllegalArgumentException if a matrix is not the first operand of a product or a transposed product
     */
    static List<Expression> all(Expression loss) {
        List<Expression> all = new ArrayList<>();
        Set<Expression> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<Expression> added = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Occurrence> open = new ArrayDeque<>(); // a stack of our own, because graphs may be deep
        open.push(new Occurrence(loss, null, 0));
        while (!open.isEmpty()) {
            Occurrence occurrence = open.peek();
            occurrence.requirePlace();
            Expression node = occurrence.node;
            if (seen.add(node)) {
                for (int i = node.operands().size(); i > 0; i--) {
                    open.push(new Occurrence(node.operands().get(i - 1), occurrence, i));
                }
            } else {
                open.pop();
                if (added.add(node)) {
                    all.add(node);
                }
            }
        }
        return all;
    }

    private void requirePlace() {
        if (node.operator() != Operator.MATRIX) {
            return;
        }
        Operator user = of == null ? null : of.node.operator();
        boolean multiplies = user == Operator.PRODUCT || user == Operator.TRANSPOSED_PRODUCT;
        if (!multiplies || operand != 1) {
            throw new IllegalArgumentException(
                    node + " is at " + path() + ", expected only as the first operand of product or transposedProduct");
        }
    }

    /** The way from the loss, with the number of the operand at each step: {@code loss > plus[2] > l2[1]}. */
    private String path() {
        return of == null ? "loss" : of.path() + " > " + of.node.operator() + "[" + operand + "]";
    }
}
