package io.sluice.consistency.replica;

import io.sluice.messaging.MessagingException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A time in which the coordinators have no leader, as one of them sees it: says what is awaited, and when to wait no
 * longer. For one thread.
 */
final class Vacancy {
    /** Elections take less. */
    static final long TOLD_NS = TimeUnit.SECONDS.toNanos(10);

    private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(60);

    private final String who;
    private final int majority;
    private final long limitNs;
    private final Consumer<String> report;
    private long ledNs;
    private long nextNs = TOLD_NS;

    /**
     * None so far.
     *
     * @param who      this coordinator, the beginning of a sentence
     * @param majority how many must be there for one to lead
     * @param limitNs  that one may last, in nanoseconds
     * @param report   for people
     * @param nowNs    the time
     */
    Vacancy(String who, int majority, long limitNs, Consumer<String> report, long nowNs) {
        this.who = who;
        this.majority = majority;
        this.limitNs = limitNs;
        this.report = report;
        this.ledNs = nowNs;
    }

    /**
     * Looks again.
     *
     * @param isLed whether there is a leader
     * @param nowNs the time
     * @throws MessagingException if there was none for too long
     */
    void look(boolean isLed, long nowNs) {
        if (isLed) {
            ledNs = nowNs;
            nextNs = TOLD_NS;
            return;
        }
        long forNs = nowNs - ledNs;
        if (forNs < nextNs && forNs <= limitNs) {
            return;
        }
        String sentence = who + " knows of no leader of the coordinators for " + TimeUnit.NANOSECONDS.toSeconds(forNs)
                + " s: " + majority + " of them must be running and reach each other";
        if (forNs > limitNs) {
            throw new MessagingException(sentence + ", and none is awaited any longer");
        }
        nextNs = forNs + AGAIN_NS;
        report.accept(sentence);
    }
}
