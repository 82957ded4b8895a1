package io.sluice.trials.chaos;

/**
 * Reads from the notes of several coordinators which one leads. Counts takeovers, and measures how long each takeover
 * took after the leader was killed. Thread-safe.
 */
final class Leaders {
    private static final String LEADS = "leads the coordinators from now on";
    private static final String NO_MORE = "no longer leads the coordinators";
    private static final double NS_PER_S = 1e9;

    /** Name of the node whose coordinator leads; null while no leader is known. */
    private String leading;

    private boolean begun;
    private boolean vacant;
    private long vacantNs;
    private int takeovers;
    private long slowestNs;

    /** Processes a note from a node. */
    synchronized void accept(String node, String text) {
        if (text.startsWith(LEADS)) {
            onLeader(node);
        } else if (text.startsWith(NO_MORE) && node.equals(leading)) {
            leading = null;
        }
    }

    private void onLeader(String node) {
        takeovers += begun ? 1 : 0;
        if (vacant) {
            slowestNs = Math.max(slowestNs, System.nanoTime() - vacantNs);
        }
        begun = true;
        vacant = false;
        leading = node;
    }

    /** Records that a process was killed, perhaps the leader. */
    synchronized void gone(String node) {
        if (node.equals(leading)) {
            leading = null;
            vacant = true;
            vacantNs = System.nanoTime();
        }
    }

    /** Forgets the leader because all coordinators are started again: the first leader is not a takeover. */
    synchronized void restart() {
        begun = false;
        vacant = false;
        leading = null;
    }

    /** Whether a process is the last known leader. */
    synchronized boolean isLedBy(String node) {
        return node.equals(leading);
    }

    /** Number of takeovers. */
    synchronized int takeovers() {
        return takeovers;
    }

    /** The longest time from the death of a leader to the first message of the next, in seconds. */
    synchronized double slowestSeconds() {
        return slowestNs / NS_PER_S;
    }
}
