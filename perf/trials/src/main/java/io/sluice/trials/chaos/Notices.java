package io.sluice.trials.chaos;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.NanoClock;

/**
 * What a cluster that waits for its dead says of them: whom it awaits, and that it does without a coordinator. Safe
 * from any thread; times are those of its clock.
 */
final class Notices {
    /** The coordinator's sentence on a death, made in {@code membership.Failures.onLost}: it begins with the node. */
    private static final Pattern AWAITED =
            Pattern.compile("((?:worker|server) \\d+)\\b.*; the cluster waits for it", Pattern.DOTALL);

    /** Its sentence on a return, made in {@code membership.Joins.onJoined}. */
    private static final Pattern BACK = Pattern.compile("((?:worker|server) \\d+) is back after .*");

    /** With this a node ends its sentence that nobody leads, made in {@code membership.Absence.lasts}. */
    private static final String ABSENT = "; training goes on as far as it does without";

    private final NanoClock clock;
    private final Set<String> awaited = new HashSet<>();
    private long lastNs;

    /**
     * None so far.
     *
     * @param clock monotonic time
     */
    Notices(NanoClock clock) {
        this.clock = clock;
        lastNs = clock.nanoTime();
    }

    /** Takes in a sentence of a node. */
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

    /** All nodes are about to be started anew: nobody waits for those before. */
    synchronized void restart() {
        awaited.clear();
    }

    /**
     * Whether a death has been noticed. Who was silent first and died then, as one that stood does, is awaited from
     * before its death on, and who dies once more before it was let in is not told of again.
     *
     * @param deathNs time of the death
     */
    synchronized boolean haveComeOf(long deathNs) {
        return !awaited.isEmpty() || lastNs - deathNs > 0;
    }

    /** When one of them came last; before there is any, when this was made. */
    synchronized long lastNs() {
        return lastNs;
    }
}
