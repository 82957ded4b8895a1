package io.sluice.trials.chaos;

/**
 * Which of several coordinators leads, by what they say, how often another has taken over, and how long that took where
 * the one before was killed. Safe from any thread.
 */
final class Leaders {
    private static final String LEADS = "leads the coordinators from now on";
    private static final String NO_MORE = "does not lead the coordinators any more";
    private static final double NS_PER_S = 1e9;

    /** Null while nobody is known to lead. */
    private String leading;

    private boolean begun;
    private boolean vacant;
    private long vacantNs;
    private int takeovers;
    private long slowestNs;

    /** Takes in a sentence of a node. */
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

    /** A process was killed, perhaps the one that leads. */
    synchronized void gone(String node) {
        if (node.equals(leading)) {
            leading = null;
            vacant = true;
            vacantNs = System.nanoTime();
        }
    }

    /** All are about to be started anew: the first of them to lead takes over from nobody. */
    synchronized void restart() {
        begun = false;
        vacant = false;
        leading = null;
    }

    /** Whether a process leads, as far as is known. */
    synchronized boolean isLedBy(String node) {
        return node.equals(leading);
    }

    /** How often one has taken over. */
    synchronized int takeovers() {
        return takeovers;
    }

    /** The longest time from the death of one that led to the first word of the next, in seconds. */
    synchronized double slowestSeconds() {
        return slowestNs / NS_PER_S;
    }
}
