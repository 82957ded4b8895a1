package io.sluice.trials.chaos;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.NanoClock;

/**
 * Notes of a cluster that waits for dead nodes: which nodes it awaits, and that it has no coordinator. Thread-safe;
 * times are those of its clock.
 */
final class Notices {
    /**
     * Pattern of the coordinator's note about a death, which begins with the node: {@code membership.Failures.onLost}.
     */
    private static final Pattern AWAITED =
            Pattern.compile("((?:worker|server) \\d+)\\b.*; the cluster waits for it", Pattern.DOTALL);

    /** Pattern of the coordinator's note about a rejoin: {@code membership.Joins.onJoined}. */
    private static final Pattern BACK = Pattern.compile("((?:worker|server) \\d+) is back after .*");

    /** The end of a node's note that no coordinator leads: {@code membership.LeaderlessTimer.lasts}. */
    private static final String ABSENT = "; training continues until a decision of a leader is needed";

    private final NanoClock clock;
    private final Set<String> awaited = new HashSet<>();
    private long lastNs;

    /**
     * Starts without notes.
     *
     * @param clock monotonic time
     */
    Notices(NanoClock clock) {
        this.clock = clock;
        lastNs = clock.nanoTime();
    }

    /** Processes a note from a node. */
    synchronized void accept(String sentence) {
        Matcher waits = AWAITED.matcher(sentence);
        Matcher back = BACK.matcher(sentence);
        if (waits.matches()) {
            awaited.add(waits.group(1));
            lastNs = clock.nanoTime();
        } else if (back.matches()) {
            awaited.remove(back.group(1));
        } else if (sentence.endsWith(ABSENT)) {
            lastNs = clock.nanoTime();
        }
    }

    /** Forgets the awaited nodes, because all nodes are started again. */
    synchronized void restart() {
        awaited.clear();
    }

    /**
     * Whether a death has been reported. A node that was stopped before it died is awaited from before its death, and a
     * node that dies again before it has rejoined is not reported a second time.
     *
     * @param deathNs time of the death
     */
    synchronized boolean haveReported(long deathNs) {
        return !awaited.isEmpty() || lastNs - deathNs > 0;
    }

    /** The time of the last note; before the first one, the time of construction. */
    synchronized long lastNs() {
        return lastNs;
    }
}
