package io.sluice.consistency.worker;

import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.placement.Placement;
import io.sluice.tree.RouteTable;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What of one table has come in by each tree that carries slices of it: the ledger, and the version that its last mark
 * closed. Replies to pulls come one way from each server.
 */
class TableIntake {
    /** Of trees, and of slices of each, in a sentence. */
    private static final int MOST_NAMED = 8;

    private final RouteTable routes;
    private final boolean[] owners;
    private final ClockLedger[] ledgers;
    private final long[] versions;
    private final boolean[] answered;

    /**
     * Creates the account behind a version.
     *
     * @param table     id of the table
     * @param slices    of the table
     * @param placement that says who owns them
     * @param routes      that frames come
     * @param servers   that there are
     * @param version   that the replica has; -1 for none
     */
    TableIntake(int table, int slices, Placement placement, RouteTable routes, int servers, long version) {
        this.routes = routes;
        owners = new boolean[servers];
        ledgers = new ClockLedger[routes.trees()];
        versions = new long[routes.trees()];
        answered = new boolean[routes.trees()];
        Arrays.fill(versions, Long.MAX_VALUE);
        Arrays.fill(answered, true);
        for (int slice = 0; slice < slices; slice++) {
            int server = placement.owner(table, slice);
            int tree = routes.tree(server, table, slice);
            owners[server] = true;
            versions[tree] = version;
            ledgers[tree] = null == ledgers[tree] ? new ClockLedger(version + 1) : ledgers[tree];
        }
    }

    /**
     * Expects versions from a round on from those who own slices then; all before is in.
     *
     * @param table     id of the table
     * @param slices    of the table
     * @param placement for the round
     * @param round     the first version that they broadcast
     * @param gained    told of each server that had no slice before
     */
    void follow(int table, int slices, Placement placement, long round, IntConsumer gained) {
        boolean[] now = new boolean[owners.length];
        boolean[] carries = new boolean[ledgers.length];
        for (int slice = 0; slice < slices; slice++) {
            int server = placement.owner(table, slice);
            now[server] = true;
            carries[routes.tree(server, table, slice)] = true;
        }
        for (int tree = 0; tree < ledgers.length; tree++) {
            if (carries[tree] && null == ledgers[tree]) {
                ledgers[tree] = new ClockLedger(round);
                versions[tree] = round - 1;
            } else if (!carries[tree]) {
                ledgers[tree] = null;
                versions[tree] = Long.MAX_VALUE;
            }
        }
        for (int server = 0; server < now.length; server++) {
            if (now[server] && !owners[server]) {
                gained.accept(server);
            }
        }
        System.arraycopy(now, 0, owners, 0, now.length);
    }

    /** A server sends all from a version on, whatever the replica has of that. */
    void restart(int server, long version) {
        for (int route = 0; route < routes.count(server); route++) {
            int tree = routes.tree(server, route);
            ledgers[tree] = null == ledgers[tree] ? null : new ClockLedger(version);
        }
    }

    /** All that comes is of a later version than this. */
    void goOnFrom(long version) {
        for (int tree = 0; tree < ledgers.length; tree++) {
            if (null != ledgers[tree]) {
                ledgers[tree].open(version + 1);
                versions[tree] = version;
            }
        }
    }

    /** Whether the replica has a version of a slice, although its frame is due. */
    boolean hasApplied(int slice, long version) {
        return false;
    }

    void applied(int slice, long version) {}

    boolean owns(int server) {
        return owners[server];
    }

    /** Whether a tree carries slices of the table. */
    boolean expects(int tree) {
        return null != ledgers[tree];
    }

    /** Of a tree; null if it carries no slice of the table. */
    ClockLedger ledger(int tree) {
        return ledgers[tree];
    }

    void close(int tree, long version) {
        versions[tree] = version;
        answered[tree] = true;
    }

    /** The version of a slice that its last round commit has closed. */
    long version(Table table, int slice) {
        return versions[routes.tree(table.owner(slice), table.spec().id(), slice)];
    }

    /** The version that the replica is at throughout, with no frame of the next; -1 if there is none. */
    long exactVersion() {
        long version = version();
        for (int tree = 0; tree < ledgers.length; tree++) {
            if (null != ledgers[tree] && (versions[tree] != version || ledgers[tree].frames() > 0)) {
                return -1;
            }
        }
        return version;
    }

    /** Lowest version over the trees. */
    long version() {
        long version = Long.MAX_VALUE;
        for (long each : versions) {
            version = Math.min(version, each);
        }
        return version;
    }

    /**
     * What is missing of a version, in words.
     *
     * @param table    whose intake this is
     * @param version  that is awaited
     * @param delivery by tree, the link by which its frames come, in words
     * @return of each tree that is behind its slices, its server, its link, and what of the next version has come
     */
    String missing(Table table, long version, IntFunction<String> delivery) {
        return inWords(
                tree -> versions[tree] < version,
                tree -> carried(table, tree) + delivery.apply(tree) + come(ledgers[tree]));
    }

    /** The same of answers to a pull. */
    String unanswered(Table table, IntFunction<String> delivery) {
        return inWords(tree -> !answered[tree], tree -> carried(table, tree) + delivery.apply(tree));
    }

    private String inWords(IntPredicate awaited, IntFunction<String> words) {
        return IntStream.range(0, versions.length)
                .filter(awaited)
                .limit(MOST_NAMED)
                .mapToObj(words)
                .collect(Collectors.joining("; "));
    }

    private String carried(Table table, int tree) {
        return "slices " + slices(table, tree) + " of server " + routes.root(tree) + " from ";
    }

    private static String come(ClockLedger ledger) {
        return ", of which " + ledger.frames() + " frames of version " + ledger.round() + " have come";
    }

    private String slices(Table table, int tree) {
        int id = table.spec().id();
        List<String> carried = IntStream.range(0, table.spec().slices())
                .filter(slice -> routes.tree(table.owner(slice), id, slice) == tree)
                .limit(MOST_NAMED + 1L)
                .mapToObj(String::valueOf)
                .toList();
        return carried.size() > MOST_NAMED
                ? String.join(", ", carried.subList(0, MOST_NAMED)) + " and more"
                : String.join(", ", carried);
    }

    /** The server that is furthest behind. */
    int slowest() {
        int slowest = 0;
        for (int tree = 1; tree < versions.length; tree++) {
            slowest = versions[tree] < versions[slowest] ? tree : slowest;
        }
        return routes.root(slowest);
    }

    /** Of a server, which answers one way. */
    void askAgain(int server) {
        answered[routes.tree(server, 0)] = false;
    }

    boolean isAnswered(int tree) {
        return answered[tree];
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

    /** Notes which slices the replica has, where servers may come back and send them again. */
    static final class Repeated extends TableIntake {
        /** By slice, the version that the replica has of it. */
        private final long[] applied;

        Repeated(int table, int slices, Placement placement, RouteTable routes, int servers, long version) {
            super(table, slices, placement, routes, servers, version);
            applied = new long[slices];
            Arrays.fill(applied, version);
        }

        @Override
        boolean hasApplied(int slice, long version) {
            return applied[slice] >= version;
        }

        @Override
        void applied(int slice, long version) {
            applied[slice] = version;
        }

        @Override
        void close(int tree, long version) {
            super.close(tree, Math.max(super.versions[tree], version));
        }
    }
}
