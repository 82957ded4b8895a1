package io.sluice.consistency.server;

import io.sluice.consistency.placement.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The tables as workers declare them. The first worker's complete list is what holds; the lists of all others must be
 * the same.
 */
final class Declarations {
    private final List<List<TableSpec>> declared = new ArrayList<>();
    private List<TableSpec> agreed;

    Declarations(int workers) {
        for (int worker = 0; worker < workers; worker++) {
            declared.add(new ArrayList<>());
        }
    }

    /** The tables, once one worker has declared all of its; null before. */
    List<TableSpec> agreed() {
        return agreed;
    }

    /** Whether a worker has declared everything and may push. */
    boolean isComplete(int worker) {
        return null != agreed && declared.get(worker).size() == agreed.size();
    }

    /** A worker declares once more, from its first table on. */
    void restart(int worker) {
        declared.get(worker).clear();
    }

    /**
     * Takes in one declaration.
     *
     * @param worker who declares
     * @param spec   what
     * @param tables how many tables the worker declares in all
     * @throws IllegalArgumentException if it contradicts what was declared before, saying how
     */
    void declare(int worker, TableSpec spec, int tables) {
        List<TableSpec> own = declared.get(worker);
        if (spec.id() != own.size() || spec.id() >= tables) {
            throw new IllegalArgumentException("worker " + worker + " declares table number " + spec.id() + " of "
                    + tables + " after " + own.size());
        }
        if (null != agreed && spec.id() < agreed.size() && !spec.equals(agreed.get(spec.id()))) {
            throw new IllegalArgumentException("worker " + worker + " declares table " + spec.id() + " as "
                    + inWords(spec) + ", expected " + inWords(agreed.get(spec.id())) + ", as others have declared it");
        }
        if (null != agreed && tables != agreed.size()) {
            throw new IllegalArgumentException("worker " + worker + " declares " + inWords(spec) + " as one of "
                    + tables + " tables, expected the " + agreed.size() + " that others have declared: "
                    + agreed.stream().map(Declarations::inWords).collect(Collectors.joining("; ")));
        }
        own.add(spec);
        if (null == agreed && own.size() == tables) {
            agreed = List.copyOf(own);
        }
    }

    private static String inWords(TableSpec spec) {
        return spec.name() + ", " + spec.rows() + " x " + spec.columns() + " in slices of " + spec.sliceElements();
    }
}
