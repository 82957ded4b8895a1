package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Proposal;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A node's part in agreeing on changes of the worker set and of the servers (decision 7). The node answers each
 * proposal with the first round that it has not begun, and does not begin that round before it receives the outcome. So
 * no node has begun the agreed clock.
 *
 * <p>The membership's thread applies states, and reports the wish, the answer and the passed change with each
 * heartbeat. The thread that trains or serves calls {@link #mayBegin} before it begins a round.
 */
public final class WorkerSetChanges {
    private static final long OPEN = Long.MAX_VALUE;

    private final int node;
    private final NodeIds ids;
    private final boolean happen;

    /** Whether this node joined while the job was running. */
    private final boolean arrived;

    /** Refusals of workers that cannot take part, for the coordinator. */
    private final Queue<Refusal> refusals = new ConcurrentLinkedQueue<>();

    /** Number of known changes. */
    private int known;

    /** Number of known events that may have changed the trees. */
    private int treeChanges;

    private volatile Wish wish;
    private volatile long passed;

    private long begun;
    private long heldFrom = OPEN;
    private volatile Answer answer = Answer.NONE;

    /** A change that a node may request. */
    enum Wish {
        /** The node requests to take part from some clock on. */
        JOIN,
        /** The node requests to leave the rounds from some clock on. */
        LEAVE,
        /** The node requests that other nodes forward broadcasts in its place. */
        DEMOTION;

        /** Decodes a request from a frame; null for none, and for an unknown code. */
        static Wish coded(int code) {
            return code < 1 || code > values().length ? null : values()[code - 1];
        }

        static int codeOf(Wish wish) {
            return null == wish ? 0 : wish.ordinal() + 1;
        }
    }

    /**
     * This node's answer to a proposal.
     *
     * @param proposal number of the proposal; 0 if there is none to answer
     * @param clock first clock from which the change may hold at this node
     */
    record Answer(long proposal, long clock) {
        static final Answer NONE = new Answer(0, 0);
    }

    /**
     * The refusal of a worker that has joined but cannot take part.
     *
     * @param node   id of the worker
     * @param nonce  nonce with which it joined
     * @param reason reason in a sentence
     */
    record Refusal(int node, long nonce, String reason) {}

    WorkerSetChanges(ClusterSettings settings, int node, ClusterState state) {
        this.node = node;
        this.ids = NodeIds.of(settings);
        this.happen = settings.isElastic();
        this.arrived = happen && state.member(node).epoch() > 0;
        this.known = state.workerSets().changes().size();
        this.begun = Math.max(0, state.member(node).start().clock());
        follow(state);
    }

    /**
     * Whether a round may begin. If so, it has begun, and the state names its nodes for good.
     *
     * @param round round of any table
     * @return false while the clock of a change is not agreed: call again
     */
    public boolean mayBegin(long round) {
        return !happen || begin(round);
    }

    private synchronized boolean begin(long round) {
        if (round >= heldFrom) {
            return false;
        }
        begun = Math.max(begun, round);
        return true;
    }

    /**
     * Requests a change on behalf of this node. Once a node has requested to leave, it cannot request to take part.
     *
     * @param joins whether it will take part
     */
    public synchronized void ask(boolean joins) {
        wish = Wish.LEAVE == wish || !joins ? Wish.LEAVE : Wish.JOIN;
    }

    /**
     * Requests, at a relay, that other nodes forward broadcasts in its place, or withdraws that request. The next event
     * that may change the trees voids the request. A request to take part or to leave takes precedence.
     *
     * @param isSlow whether the relay's uplink is slow
     * @param judged cluster state whose trees the relay used to judge its uplink; if this node has since applied an
     *     event that may change the trees, the call makes no request and withdraws a pending one
     */
    public synchronized void askForDemotion(boolean isSlow, ClusterState judged) {
        if (null == wish || Wish.DEMOTION == wish) {
            wish = isSlow && treeChanges(judged) == treeChanges ? Wish.DEMOTION : null;
        }
    }

    /** Number of losses, arrivals, demotions and changes of the worker set: each may change the trees. */
    private static int treeChanges(ClusterState state) {
        int agreed = state.workerSets().changes().size();
        return state.epoch() + state.demotions().size() + agreed;
    }

    /**
     * Reports, at a server, that a worker that joined while the job was running cannot take part. Only that worker
     * ends, and no node waits for it.
     *
     * @param refused id of the worker
     * @param nonce   nonce with which it joined; another node may have its place soon
     * @param reason  reason in a sentence
     */
    public void turnAway(int refused, long nonce, String reason) {
        refusals.add(new Refusal(refused, nonce, reason));
    }

    /**
     * The next refusal for the coordinator, until the state shows that the coordinator has received it; null for none.
     */
    Refusal refusal() {
        return refusals.peek();
    }

    /**
     * Reports, at a server, that all its tables have passed a change: its sums contain the pushes of the workers before
     * the change, or the slices of another server have arrived and have been used.
     *
     * @param clock clock of the change, higher than before
     */
    public void passed(long clock) {
        passed = clock;
    }

    /** The clock that has been {@link #passed(long) passed} last; 0 for none. */
    long passed() {
        return passed;
    }

    /**
     * Whether a round must wait for a proposed change that may hold from that round on.
     *
     * @param round round of any table
     * @return true if nodes that received the outcome earlier may have begun the round
     */
    public synchronized boolean isHeld(long round) {
        return OPEN != heldFrom && round >= heldFrom;
    }

    /** The change that this node requests, or null. */
    Wish wish() {
        return wish;
    }

    /** The answer to the proposal that is open, or to the last one. */
    Answer answer() {
        return answer;
    }

    /** Whether this node has joined the running job and no other node needs it yet: its failure ends no other node. */
    synchronized boolean isArriving(ClusterState state) {
        return ids.isServer(node) ? Presence.NEWCOMER == state.member(node).presence() : arrived && 0 == begun;
    }

    /**
     * Applies a state.
     *
     * @return false if this node has begun a round that the state changes, which is a contradiction
     */
    synchronized boolean follow(ClusterState state) {
        List<WorkerSetChange> changes = state.workerSets().changes();
        for (WorkerSetChange change : changes.subList(known, changes.size())) {
            if (change.clock() <= begun) {
                return false;
            }
        }
        known = changes.size();
        if (treeChanges < treeChanges(state)) {
            treeChanges = treeChanges(state);
            wish = Wish.DEMOTION == wish ? null : wish;
        }
        Proposal open = state.proposal();
        if (null == open) {
            heldFrom = OPEN;
        } else if (open.number() != answer.proposal()) {
            heldFrom = Math.min(heldFrom, begun + 1);
            boolean isOwnGoing = !open.joins() && open.node().node() == node && !ids.isServer(node);
            answer = new Answer(open.number(), isOwnGoing ? heldFrom + 1 : heldFrom);
        }
        refusals.removeIf(refusal -> isKnown(refusal, state));
        return true;
    }

    private static boolean isKnown(Refusal refusal, ClusterState state) {
        Member member = state.member(refusal.node());
        return member.seat().nonce() != refusal.nonce() || !member.presence().isPresent();
    }
}
