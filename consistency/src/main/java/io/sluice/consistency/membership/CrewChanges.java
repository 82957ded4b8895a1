package io.sluice.consistency.membership;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A node's part in agreeing on who takes part from which clock on (decision 33). To each poll it answers with the first
 * round that it has not begun, and does not begin that one before it is told the outcome: so whatever clock is agreed
 * on, nobody has begun it.
 *
 * <p>The membership's thread answers and is told; the thread that trains or serves asks before it begins a round.
 */
public final class CrewChanges {
    private static final long OPEN = Long.MAX_VALUE;

    private final boolean happen;

    /** What is to be said of workers that cannot take part. */
    private final Queue<Refusal> refusals = new ConcurrentLinkedQueue<>();

    private volatile CrewHistory history;
    private volatile Wish wish;
    private boolean goes;
    private volatile boolean askedToJoin;
    private volatile long passed;

    /** Whether nothing of this server is needed any more. */
    private volatile boolean released;

    /** By server, whether it has left since others have its slices. */
    private final AtomicIntegerArray goneServers;

    private long begun;
    private long heldFrom = OPEN;

    /** What a node may ask for. */
    enum Wish {
        /** To take part from some clock on. */
        JOIN,
        /** To take part no more from some clock on. */
        GO
    }

    /**
     * That a worker which has come cannot take part.
     *
     * @param node   its id
     * @param nonce  with which it joined
     * @param reason in a sentence
     */
    record Refusal(int node, long nonce, String reason) {}

    CrewChanges(ClusterSettings settings) {
        this.happen = settings.isElastic();
        this.goneServers = new AtomicIntegerArray(settings.serverPlaces());
        this.history = CrewHistory.of(settings.servers(), settings.workers());
    }

    /**
     * Whether workers may come and go.
     *
     * @return what the terms say
     */
    public boolean happen() {
        return happen;
    }

    /**
     * Who takes part when. One volatile read.
     *
     * @return what is agreed on by now
     */
    public CrewHistory history() {
        return history;
    }

    /**
     * Whether a round may be begun. If so, it is begun, and {@link #history} says for good who takes part in it.
     *
     * @param round of any table
     * @return false while it is not agreed from which clock on a node comes or goes: ask again
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

    /** Asks for a change on behalf of this node, once. Who has asked to go does not ask to take part any more. */
    public synchronized void ask(boolean joins) {
        goes |= !joins;
        askedToJoin |= joins;
        wish = goes ? Wish.GO : Wish.JOIN;
    }

    /** The coordinator has been told of a wish; another may have taken its place meanwhile. */
    synchronized void asked(Wish told) {
        wish = wish == told ? null : wish;
    }

    /** Whether this node has ever asked to take part, or to own slices. */
    boolean hasAskedToJoin() {
        return askedToJoin;
    }

    /**
     * A server says that a worker which has come while the job runs cannot take part: it alone is to end, and nobody
     * waits for it.
     *
     * @param node   its id
     * @param nonce  with which it joined: another may be in its place before long
     * @param reason in a sentence
     */
    public void turnAway(int node, long nonce, String reason) {
        refusals.add(new Refusal(node, nonce, reason));
    }

    /** What the coordinator has to be told next, or null. */
    Refusal refusal() {
        return refusals.peek();
    }

    void refused() {
        refusals.remove();
    }

    /**
     * A server says that it is past a change, of all its tables: what those before have pushed is in its sums, or what
     * another server had has come, and gone on.
     *
     * @param clock higher than before
     */
    public void passed(long clock) {
        passed = clock;
    }

    /** The clock that has been {@link #passed(long) passed} last; 0 for none. */
    long passed() {
        return passed;
    }

    /** Whether this node has begun nothing yet. */
    synchronized boolean isBefore() {
        return 0 == begun;
    }

    /**
     * Whether a round may not be begun now, for a change is being agreed on that may hold from it on.
     *
     * @param round of any table
     * @return true if who is told before this node may have begun it
     */
    public synchronized boolean isHeld(long round) {
        return OPEN != heldFrom && round >= heldFrom;
    }

    /**
     * Whether this server, which owns no slices any more, may leave: those who do have all that it had.
     *
     * @return true for good once the coordinator has said so
     */
    public boolean isReleased() {
        return released;
    }

    void release() {
        released = true;
    }

    /**
     * Whether a server has left while the job goes on. One volatile read.
     *
     * @param server its index
     * @return true until another has come in its place; nothing is to be sent to it any more
     */
    public boolean hasGone(int server) {
        return 0 != goneServers.get(server);
    }

    /** A server has left; false if others still need it. */
    boolean gone(int server) {
        if (history.owns(server)) {
            return false;
        }
        goneServers.set(server, 1);
        return true;
    }

    /** A server has come, perhaps in the place of one that has left. */
    void arrived(int server) {
        goneServers.set(server, 0);
    }

    /** What has yet to be asked for, or null. */
    Wish wish() {
        return wish;
    }

    /**
     * The answer to a poll.
     *
     * @param ownGoing whether it is about this worker's own going, of which it has to know a clock before: in its last
     *                 one it pushes all that it has
     */
    synchronized long answer(boolean ownGoing) {
        heldFrom = Math.min(heldFrom, begun + 1);
        return ownGoing ? heldFrom + 1 : heldFrom;
    }

    /** Takes in what is agreed on; false if that cannot be, for what it changes has begun, or it fits no history. */
    synchronized boolean agreed(CrewChange change) {
        if (change.clock() <= begun || !history.fits(change)) {
            return false;
        }
        history = history.with(change);
        heldFrom = OPEN;
        return true;
    }

    synchronized void calledOff() {
        heldFrom = OPEN;
    }
}
