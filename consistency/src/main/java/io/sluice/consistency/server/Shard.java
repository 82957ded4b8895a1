package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.StateReceiver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The parts that one server owns: its part of each table, and the stages that run in each duty cycle, which {@link
 * ServerAssembly} composes. For the server's thread.
 */
final class Shard implements ServerView.Follower {
    private final Membership membership;
    private final ClusterPlan plan;
    private final ServerView view;
    private final ServerAssembly assembly;
    private final List<ServerReport.Loss> losses = new ArrayList<>();

    /** The tables by id; null for a table of which the server never owns slices. */
    private TableShard[] tables = new TableShard[0];

    /** The tables that have slices here, or are about to. */
    private TableShard[] owned = new TableShard[0];

    private ServerAssembly.Stages stages = ServerAssembly.Stages.NONE;
    private long reached = -1;

    Shard(Membership membership, ServerView view, ServerAssembly assembly) {
        this.membership = membership;
        this.plan = membership.plan();
        this.view = view;
        this.assembly = assembly;
    }

    boolean isBuilt() {
        return tables.length > 0;
    }

    /** Allocates the sums of all slices owned here and opens the outgoing links. */
    void build(List<TableSpec> specs) {
        tables = new TableShard[specs.size()];
        stages = assembly.assemble(this, specs, tables);
        serveTables();
        for (int worker = 0; worker < plan.settings().workerPlaces(); worker++) {
            if (view.isExcused(worker)) {
                continueWithout(worker);
            }
        }
        stages.outgoing().follow(view.state());
        stages.whatFollows().onBuilt();
        giveUpLinks();
    }

    /** Updates the list after a table received its first slices or lost its last slices. */
    void serveTables() {
        owned = Arrays.stream(tables)
                .filter(table -> null != table && !table.isAtRest())
                .toArray(TableShard[]::new);
    }

    /** Tables that have slices here, or are about to. */
    TableShard[] owned() {
        return owned;
    }

    /** This server's part of a table, or null if it owns none of it or the table is not known. */
    TableShard table(int id) {
        return id < tables.length ? tables[id] : null;
    }

    /** Digest of the broadcast trees that this server has planned. Valid once the shard is built. */
    int plannedTrees() {
        return stages.outgoing().plannedTrees();
    }

    /** The object that requests missing pushes. */
    Gaps missing() {
        return stages.missing();
    }

    /** The moves of slices between servers; null if slices never move. */
    SliceMoves moves() {
        return stages.moves();
    }

    /** The object that receives slices from other servers. */
    StateReceiver receiver() {
        return stages.receiver();
    }

    /** The object that answers requests for parameters. */
    ServerAssembly.Pulls pulls() {
        return stages.pulls();
    }

    /** Repeats missing frames to a worker; false if no frames are retained. */
    boolean resend(int worker, boolean relay, int table, int route, long version, int sequence) {
        return stages.outgoing().resend(worker, relay, table, route, version, sequence);
    }

    /** Whether a worker may request repair. */
    boolean sendsTo(int worker) {
        return stages.outgoing().sendsTo(worker);
    }

    /** Expects a worker's pushes of all tables from a round on. */
    void restart(int worker, long round) {
        stages.missing().forget(worker);
        for (TableShard table : owned) {
            table.restart(worker, round);
        }
    }

    /** Runs one duty cycle: finalises slices that had to wait, and sends due frames. */
    int work(long nowNs) {
        follow();
        int work = 0;
        for (TableShard table : owned) {
            work += table.work();
        }
        for (ServerAssembly.Stage stage : stages.stages()) {
            work += stage.work(nowNs);
        }
        return work;
    }

    /** Advances the view of this server. */
    void follow() {
        view.follow(this);
    }

    @Override
    public void onLost(int worker) {
        losses.add(new ServerReport.Loss(worker, lastRoundOf(worker)));
        continueWithout(worker);
    }

    /** The last complete round of a worker at this server; -1 for none. */
    private long lastRoundOf(int worker) {
        long last = owned.length > 0 ? Long.MAX_VALUE : -1;
        for (TableShard table : owned) {
            last = Math.min(last, table.ledger(worker).round() - 1);
        }
        return last;
    }

    private void continueWithout(int worker) {
        for (TableShard table : owned) {
            if (0 == worker && !table.hasStart()) {
                throw membership.fail(
                        Failure.PEER_LOST,
                        "worker 0 was lost before it had given the parameters of table "
                                + table.spec().name() + " its first values: training cannot continue");
            }
            table.excuse(worker);
        }
        stages.outgoing().forget(worker);
    }

    @Override
    public void onArrived(int node) {
        int worker = plan.workerIndex(node);
        if (worker >= 0) {
            assembly.declarations().forget(worker);
            stages.missing().forget(worker);
        }
        stages.whatFollows().onArrived(node);
    }

    @Override
    public void onFollowed(ClusterState before) {
        stages.outgoing().follow(view.state());
        stages.whatFollows().onFollowed(before);
        giveUpLinks();
    }

    /**
     * Closes links whose receivers have all left or are lost. A relay leaves only once its children have all that they
     * can still wait for.
     */
    private void giveUpLinks() {
        IntPredicate isGone = view::isGone;
        stages.outgoing().giveUp(view.ofNodes(isGone));
        IntStream.range(0, plan.settings().workerPlaces()).filter(isGone).forEach(stages.whatFollows()::onGone);
    }

    /** Lowest version of the tables here, or the version at which the last slices left; -1 before the start. */
    long version() {
        long version = Long.MAX_VALUE;
        for (TableShard table : owned) { // no stream, because this runs in every cycle
            version = Math.min(version, table.version());
        }
        reached = owned.length > 0 ? version : reached;
        return reached;
    }

    /** Describes what the open round waits for; empty if nothing. */
    String awaited() {
        if (!isBuilt()) {
            List<Integer> missing = assembly.declarations().missing();
            return missing.isEmpty()
                    ? ""
                    : "workers " + missing + " to declare their tables to " + membership.endpoint();
        }
        long round = version() + 1;
        for (TableShard table : owned) {
            if (table.version() < round) {
                return awaited(table, round);
            }
        }
        if (plan.isOfNewcomer() && reached < 0) {
            return "the coordinator to state from which clock on it owns slices";
        }
        String moves = stages.whatFollows().awaited();
        return moves.isEmpty() && 0 == owned.length ? awaitedToLeave() : moves;
    }

    /** Describes why a server that has handed over its slices may not leave yet. */
    private String awaitedToLeave() {
        ClusterState state = membership.state();
        if (Presence.LEAVING != state.member(membership.node()).presence()) {
            return "";
        }
        String workers = IntStream.range(0, plan.settings().workerPlaces())
                .map(plan::workerNode)
                .filter(node -> Presence.LEAVING == state.member(node).presence())
                .mapToObj(plan::nameOf)
                .collect(Collectors.joining(", "));
        return workers.isEmpty()
                ? "the other servers to begin the clocks without it"
                : workers + " to close: a worker that has left the rounds may still need a version from this server";
    }

    private String awaited(TableShard table, long round) {
        List<Integer> here = IntStream.range(0, plan.settings().workerPlaces())
                .filter(worker -> !view.isGone(worker) && view.workerSets().has(worker, round))
                .boxed()
                .toList();
        String late = here.stream()
                .filter(worker -> table.ledger(worker).round() <= round)
                .map(this::inWords)
                .collect(Collectors.joining(", "));
        if (here.isEmpty()) {
            return "";
        }
        return late.isEmpty()
                ? table.awaited()
                : "the pushes of clock " + round + " of table " + table.spec().name() + " by workers " + late + " to "
                        + membership.endpoint();
    }

    /** Names a worker that is late, with what is known to delay it. */
    private String inWords(int worker) {
        boolean hasDeclared = assembly.declarations().isComplete(worker);
        return worker + (view.isAwaited(worker) ? " (awaited)" : hasDeclared ? "" : " (has not declared its tables)");
    }

    ServerReport report(long framesRejected) {
        float residual = 0;
        long taken = 0;
        for (TableShard table : tables) {
            taken += null == table ? 0 : table.framesTaken();
            residual = null == table
                    ? residual
                    : Math.max(residual, table.roundSink().residualMaxAbs());
        }
        ShardStats stats = assembly.stats();
        return new ServerReport(
                version(),
                stats.frames(),
                stats.framesEarly(),
                stages.outgoing().bytes(),
                framesRejected,
                residual,
                stats.lastThreshold(),
                assembly.compression(),
                stages.outgoing().framesResent(),
                taken,
                List.copyOf(losses),
                stages.whatFollows().moves());
    }
}
