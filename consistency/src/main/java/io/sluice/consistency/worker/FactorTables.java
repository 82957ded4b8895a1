package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/** The factor tables of a worker, in the order of declaration. For the trainer's thread. */
final class FactorTables {
    /** Most floats of the vectors of one kind that a trainer adds in an iteration. */
    static final int MOST_FLOATS = 1 << 29;

    /** Clocks for which a rule is asked about staleness; a rule of the user's is checked for as many. */
    private static final int CLOCKS_TO_CHECK = 100;

    private static final int PIECE = 1 << 16;

    private final List<FactorTable> tables = new ArrayList<>();
    private int[] firstValues = {};

    /**
     * Requires terms with which vectors can be exchanged: all of them must arrive exactly, in blocks that each have one
     * worker's vectors of one clock.
     */
    static void requireTerms(String name, ClusterSettings terms, ConsistencyRule rule) {
        String given = null;
        if (Protocol.UPDATE != terms.protocol()) {
            given = "the protocol " + terms.protocol().configName() + ", expected " + Protocol.UPDATE.configName();
        } else if (!rule.isBounded() || rule.backups() > 0 || rule.withholds()) {
            given = "the consistency " + rule.name()
                    + ", expected one with a bound on staleness that awaits the pushes of all workers";
        } else if (terms.isElastic()) {
            given = "workers that join and leave, expected a fixed number of workers";
        }
        if (null != given) {
            throw new IllegalArgumentException("factor table " + name + " is declared with " + given);
        }
    }

    /** The largest number of clocks by which a worker that pushes may be ahead of the version that it has. */
    static int staleness(ConsistencyRule rule) {
        return Math.toIntExact(LongStream.range(0, CLOCKS_TO_CHECK)
                .map(clock -> clock - rule.requiredVersion(clock))
                .max()
                .orElseThrow());
    }

    void add(FactorTable table) {
        tables.add(table);
    }

    /** Gives all tables their first values. */
    void start(Initialiser initialiser) {
        firstValues = new int[tables.size()];
        for (int i = 0; i < firstValues.length; i++) {
            tables.get(i).start(initialiser);
            firstValues[i] = digest(tables.get(i).matrix());
        }
    }

    private static int digest(MemorySegment matrix) {
        CRC32C crc = new CRC32C();
        byte[] piece = new byte[PIECE];
        for (long at = 0; at < matrix.byteSize(); at += PIECE) {
            int length = (int) Math.min(PIECE, matrix.byteSize() - at);
            MemorySegment.copy(matrix, JAVA_BYTE, at, piece, 0, length);
            crc.update(piece, 0, length);
        }
        return (int) crc.getValue();
    }

    /** The digest of the first values that this worker has made; 0 for a table for which it makes none. */
    int firstValues(TableSpec spec) {
        for (int i = 0; i < firstValues.length; i++) {
            if (tables.get(i).id() == spec.id()) {
                return firstValues[i];
            }
        }
        return 0;
    }

    List<FactorTable> all() {
        return tables;
    }

    void continueFrom(long version) {
        tables.forEach(table -> table.continueFrom(version));
    }

    void consume() {
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).consume();
        }
    }

    void compose(SnapshotStage snapshots) {
        tables.forEach(table -> table.compose(snapshots));
    }

    /** Whether a name is that of a factor table. */
    boolean has(String name) {
        return tables.stream().anyMatch(table -> table.name().equals(name));
    }
}
