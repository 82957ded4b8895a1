package io.sluice.consistency.worker;

import java.util.Arrays;
import java.util.List;

/** By tree and table, the last version whose round commit a relay has forwarded. For the relay's thread. */
final class PassedCommits {
    /** Stands for a round commit that is not expected. */
    private static final long NEVER = Long.MAX_VALUE;

    private static final long NONE = -1;

    private final long[][] commits;

    /** Creates an object that expects no round commits. */
    PassedCommits(int trees, int tables) {
        commits = new long[trees][tables];
        for (long[] ofTree : commits) {
            Arrays.fill(ofTree, NEVER);
        }
    }

    /** Expects a round commit on a tree from each table that has slices on it. */
    void expect(int tree, List<Table> tables) {
        for (Table table : tables) {
            if (table.intake().expects(tree)) {
                commits[tree][table.spec().id()] = NONE;
            }
        }
    }

    boolean areExpected(int tree, int table) {
        return NEVER != commits[tree][table];
    }

    void passed(int tree, int table, long version) {
        long[] versions = commits[tree];
        if (table < versions.length) {
            versions[table] = Math.max(versions[table], version);
        }
    }

    boolean haveAllPassed(int tree, long version) {
        for (long passed : commits[tree]) {
            if (passed < version) {
                return false;
            }
        }
        return true;
    }
}
