package io.sluice.consistency.worker;

import io.sluice.consistency.clock.ClockLedger;
import java.util.Arrays;
import java.util.List;

/**
 * What of one table has come in from each server that owns slices of it: the ledger of each link, and the version that
 * its last mark closed.
 */
final class TableIntake {
    private final ClockLedger[] ledgers;
    private final long[] versions;
    private final boolean[] answered;

    /**
     * Creates the account behind a version.
     *
     * @param owners  for each server, whether it owns slices of the table
     * @param version that the replica has; -1 for none
     */
    TableIntake(boolean[] owners, long version) {
        ledgers = new ClockLedger[owners.length];
        versions = new long[owners.length];
        answered = new boolean[owners.length];
        for (int server = 0; server < owners.length; server++) {
            ledgers[server] = owners[server] ? new ClockLedger(version + 1) : null;
            versions[server] = owners[server] ? version : Long.MAX_VALUE;
        }
        Arrays.fill(answered, true);
    }

    /** What is due next of all tables, as their ledgers say. */
    static MissingFrames.Due due(List<Table> tables) {
        return new MissingFrames.Due() {
            @Override
            public boolean expects(int server, int table) {
                return tables.get(table).intake().owns(server);
            }

            @Override
            public long clock(int server, int table) {
                return tables.get(table).intake().ledger(server).round();
            }

            @Override
            public int sequence(int server, int table) {
                return tables.get(table).intake().ledger(server).frames();
            }
        };
    }

    boolean owns(int server) {
        return null != ledgers[server];
    }

    ClockLedger ledger(int server) {
        return ledgers[server];
    }

    void close(int server, long version) {
        versions[server] = version;
        answered[server] = true;
    }

    /** Lowest version over the servers. */
    long version() {
        long version = Long.MAX_VALUE;
        for (long each : versions) {
            version = Math.min(version, each);
        }
        return version;
    }

    /** The server that is furthest behind. */
    int slowest() {
        int slowest = 0;
        for (int server = 1; server < versions.length; server++) {
            slowest = versions[server] < versions[slowest] ? server : slowest;
        }
        return slowest;
    }

    void askAgain(int server) {
        answered[server] = false;
    }

    boolean isAnswered(int server) {
        return answered[server];
    }

    /** Whether every server has answered the last pull. */
    boolean isAnsweredByAll() {
        for (boolean each : answered) {
            if (!each) {
                return false;
            }
        }
        return true;
    }
}
