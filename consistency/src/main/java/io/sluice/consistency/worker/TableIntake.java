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
 * The received frames of one table, by tree: the ledger, and the version that the last round commit closed. Replies to
 * pulls use one stream from each server.
 */
class TableIntake {
    /** Creates an intake, with the arguments of the constructors. */
    interface Maker {
        TableIntake make(int table, int slices, Placement placement, RouteTable routes, int servers, long version);
    }

    /** Maximum number of trees that a message names, and of slices of each tree. */
    private static final int MOST_NAMED = 8;

    private final RouteTable routes;
    private final boolean[] owners;
    private final ClockLedger[] ledgers;
    private final long[] versions;
    private final boolean[] answered;

    /**
     * Starts after a version.
     *
     * @param table     id of the table
     * @param slices    slices of the table
     * @param placement placement of the slices
     * @param routes    routes of the frames
     * @param servers   number of servers
     * @param version   version of the replica; -1 for none
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
     * Expects versions from a round on from its owners of slices; all earlier versions have arrived.
     *
     * @param table     id of the table
     * @param slices    slices of the table
     * @param placement placement for the round
     * @param round     first version that they broadcast
     * @param gained    receives each server that had no slice before
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

    /** Expects a server to repeat all frames from a version on, whether the replica has applied them or not. */
    void restart(int server, long version) {
        for (int route = 0; route < routes.count(server); route++) {
            int tree = routes.tree(server, route);
            ledgers[tree] = null == ledgers[tree] ? null : new ClockLedger(version);
        }
    }

    /** Continues after a version: all following frames are of later versions. */
    void continueFrom(long version) {
        for (int tree = 0; tree < ledgers.length; tree++) {
            if (null != ledgers[tree]) {
                ledgers[tree].open(version + 1);
                versions[tree] = version;
            }
        }
    }

    /** Whether the replica has applied a version of a slice although its frame is still due. */
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

    /** The first tree of an owner of slices. */
    int tree(int owner) {
        return routes.tree(owner, 0);
    }

    /** The ledger of a tree; null if the tree carries no slice of the table. */
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

    /** Prepares an iteration, which computes on the versions that have arrived. Called again in the same iteration. */
    void begin(Table table, long clock) {}

    /**
     * The version of a slice on which the iteration computes; with an ordered rule, all have the version of the table.
     */
    long basis(Table table, int slice) {
        return version(table, slice);
    }

    /** The version of all slices, without any frame of the next version; -1 if there is none. */
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
     * Describes the missing frames of a version.
     *
     * @param table    table of this intake
     * @param version  awaited version
     * @param delivery delivery by tree, a description of the link of its frames
     * @return for each tree that is behind: its slices, server and link, and the received frames of the next version
     */
    String missing(Table table, long version, IntFunction<String> delivery) {
        return inWords(
                tree -> versions[tree] < version,
                tree -> carried(table, tree) + delivery.apply(tree) + come(ledgers[tree]));
    }

    /** Describes the missing replies to a pull. */
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
        return "slices " + slices(table, tree) + " of ";
    }

    private static String come(ClockLedger ledger) {
        return ", of which " + ledger.frames() + " frames of version " + ledger.round() + " have arrived";
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

    /** Expects another reply of a server. */
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

    /**
     * Records the last frame of each slice, which may precede the round commit of its version under SSP. The basis of
     * an iteration is what its first sync found: a later sync may apply newer frames, after steps of the iteration.
     */
    static final class Ahead extends TableIntake {
        /** For each slice, the last version of which a frame was applied. */
        private final long[] applied;

        /** For each slice, the version at the first sync of the iteration. */
        private final long[] basis;

        private long begun = -1;

        Ahead(int table, int slices, Placement placement, RouteTable routes, int servers, long version) {
            super(table, slices, placement, routes, servers, version);
            applied = new long[slices];
            basis = new long[slices];
            Arrays.fill(applied, version);
        }

        @Override
        void begin(Table table, long clock) {
            if (begun != clock) {
                begun = clock;
                for (int slice = 0; slice < basis.length; slice++) {
                    basis[slice] = Math.max(applied[slice], version(table, slice));
                }
            }
        }

        @Override
        void applied(int slice, long version) {
            applied[slice] = version;
        }

        @Override
        long basis(Table table, int slice) {
            return basis[slice];
        }
    }

    /** Records the version of each slice in the replica, if servers may rejoin and repeat frames. */
    static final class Repeated extends TableIntake {
        /** For each slice, its version in the replica. */
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
