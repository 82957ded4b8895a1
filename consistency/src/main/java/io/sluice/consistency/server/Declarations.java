package io.sluice.consistency.server;

import io.sluice.codecs.sbe.DeclarationDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;

/**
 * The tables that workers declare, and the link of each worker's last declarations, which carries its pushes.
 * The first worker's complete list is valid; the lists of all other workers must be equal. For the server's thread.
 */
final class Declarations {
    private static final long NO_SESSION = Long.MIN_VALUE;

    private final Membership membership;
    private final ClusterPlan plan;
    private final ServerView view;
    private final Shard shard;
    private final Consumer<String> breach;
    private final boolean admitsNewcomers;

    /** Whether a worker that rejoins repeats its pushes. */
    private final boolean repeats;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final List<List<TableSpec>> declared = new ArrayList<>();
    private final boolean[] complete;
    private final long[] sessions;
    private final List<Integer> factorDigests = new ArrayList<>();
    private List<TableSpec> agreed;

    /** The name of the worker that completed the list; null if it is not known. */
    private String first;

    /** The result of a declaration. */
    enum Verdict {
        TAKEN,
        AGAIN,
        LATER,
        REFUSED
    }

    Declarations(Membership membership, ServerView view, Shard shard, Consumer<String> breach) {
        this.breach = breach;
        this.membership = membership;
        this.plan = membership.plan();
        this.view = view;
        this.shard = shard;
        this.admitsNewcomers = plan.settings().isElastic();
        this.repeats = plan.settings().awaitsTheDead();
        int workers = plan.settings().workerPlaces();
        for (int worker = 0; worker < workers; worker++) {
            declared.add(new ArrayList<>());
        }
        this.complete = new boolean[workers];
        this.sessions = new long[workers];
        Arrays.fill(sessions, NO_SESSION);
    }

    /** Whether a worker has declared all its tables, so that it may push. */
    boolean isComplete(int worker) {
        return complete[worker];
    }

    /** Whether this link carries a worker's pushes. */
    boolean isCurrent(int worker, int session) {
        return sessions[worker] == session;
    }

    /** Accepts a new link of a worker, on which it repeats missing pushes and continues. */
    void continueOn(int worker, int session) {
        sessions[worker] = session;
    }

    /** Forgets the declarations of a worker whose place has a new incarnation. */
    void forget(int worker) {
        sessions[worker] = NO_SESSION;
    }

    /** Workers of the last worker set that have not declared yet, except lost ones. */
    List<Integer> missing() {
        return view.workerSets().all().getLast().workers().stream()
                .filter(this::isMissing)
                .toList();
    }

    /** Called often, so it allocates nothing. */
    boolean areMissing() {
        List<Integer> workers = view.workerSets().all().getLast().workers();
        for (int i = 0; i < workers.size(); i++) {
            if (isMissing(workers.get(i))) {
                return true;
            }
        }
        return false;
    }

    private boolean isMissing(int worker) {
        return !(complete[worker] && sessions[worker] != NO_SESSION)
                && !view.state().isLost(worker);
    }

    /** Processes a declaration. A contradiction to earlier declarations ends the cluster, or its sender. */
    Verdict take(int worker, DirectBuffer buffer, int offset, int session, int epoch) {
        boolean isNewcomer = admitsNewcomers && epoch > 0;
        if (!knowsEarlierChanges() || isNewcomer && isLaterJoiner(worker, epoch) && null == agreed) {
            return Verdict.LATER;
        }
        DeclarationDecoder frame = new DeclarationDecoder().wrapAndApplyHeader(buffer, offset, header);
        if (0 == frame.table() && !isCurrent(worker, session)) {
            sessions[worker] = session;
            if (repeats || admitsNewcomers) {
                complete[worker] = false;
                declared.get(worker).clear();
            }
            if (repeats) {
                shard.restart(worker, 1 + Math.max(plan.start().clock(), startOf(worker)));
            }
        }
        if (complete[worker]) {
            return Verdict.AGAIN;
        }
        try {
            int count = frame.tables();
            int digest = frame.digest();
            TableSpec spec = new TableSpec(
                    frame.table(),
                    frame.name(),
                    frame.rows(),
                    frame.columns(),
                    frame.sliceElements(),
                    0 != frame.consumed());
            declare(worker, spec, count);
            requireSameDigest(worker, spec, digest);
        } catch (IllegalArgumentException e) {
            return refuse(worker, epoch, e.getMessage());
        }
        if (!shard.isBuilt() && null != agreed) {
            shard.build(agreed);
        }
        return !shard.isBuilt() || frame.trees() == shard.plannedTrees()
                ? Verdict.TAKEN
                : refuse(worker, epoch, otherTrees(worker, frame.trees()));
    }

    /** Refuses a worker that joins a running job: only that worker ends. */
    private Verdict refuse(int worker, int epoch, String reason) {
        if (!admitsNewcomers || 0 == epoch) {
            breach.accept(reason);
        }
        view.refuse(worker, epoch, reason);
        return Verdict.REFUSED;
    }

    private String otherTrees(int worker, long trees) {
        return "worker %d plans other broadcast trees than this server does (digest %08x, here %08x): "
                        .formatted(worker, trees, shard.plannedTrees())
                + "expected the same build at all nodes, and the same planner "
                + plan.settings().tree();
    }

    /** The clock from which the node in a worker's place continued. */
    private long startOf(int worker) {
        return view.state().member(plan.workerNode(worker)).start().clock();
    }

    /** Whether this server knows all changes of the worker set that were agreed on before it joined. */
    private boolean knowsEarlierChanges() {
        return !plan.isOfNewcomer() || membership.versionBroadcast() >= 0;
    }

    /** Whether a worker has joined after this server and takes no part yet: other workers declare the tables. */
    private boolean isLaterJoiner(int worker, int epoch) {
        return epoch > plan.epoch()
                && !view.workerSets().all().getLast().workers().contains(worker);
    }

    private void declare(int worker, TableSpec spec, int tables) {
        List<TableSpec> own = declared.get(worker);
        if (spec.id() != own.size() || spec.id() >= tables) {
            throw new IllegalArgumentException("worker " + worker + " declares table number " + spec.id() + " of "
                    + tables + " after " + own.size());
        }
        if (null != agreed && spec.id() < agreed.size() && !spec.equals(agreed.get(spec.id()))) {
            throw new IllegalArgumentException("worker " + worker + " declares table " + spec.id() + " as "
                    + inWords(spec) + ", expected " + inWords(agreed.get(spec.id())) + ", as "
                    + (null == first ? "others have" : first + " has") + " declared it");
        }
        if (null != agreed && tables != agreed.size()) {
            throw new IllegalArgumentException("worker " + worker + " declares " + inWords(spec) + " as one of "
                    + tables + " tables, expected the " + agreed.size() + " that others have declared: "
                    + agreed.stream().map(Declarations::inWords).collect(Collectors.joining("; ")));
        }
        own.add(spec);
        if (null == agreed && own.size() == tables) {
            first = "worker " + worker;
            agreed = List.copyOf(own);
        }
        complete[worker] = null != agreed && own.size() == agreed.size();
    }

    /** Requires that all workers declare the same factor table; the digest of its first declaration counts. */
    private void requireSameDigest(int worker, TableSpec spec, int digest) {
        if (spec.id() == factorDigests.size()) {
            factorDigests.add(digest);
        }
        if (factorDigests.get(spec.id()) != digest) {
            throw new IllegalArgumentException(
                    "worker %d declares the factor table of %s unlike another worker (digest %08x, expected %08x):"
                                    .formatted(worker, spec.name(), digest, factorDigests.get(spec.id()))
                            + " expected the same shape, groups, selection, multicast and first values");
        }
    }

    private static String inWords(TableSpec spec) {
        return spec.name() + ", " + spec.rows() + " x " + spec.columns() + " in slices of " + spec.sliceElements()
                + (spec.consumed() ? ", consumed" : "");
    }
}
