package io.sluice.messaging.flow;

import java.util.ArrayDeque;

/**
 * Shares the bytes that a host's network card sends among paced publications. For the sender's thread.
 *
 * <p>Whole turns serve batches: a part of a turn is a short batch, and costs as much as a long one. A turn longer
 * than half of the bucket is served from half a bucket on: a bucket that is full between two polls would lose rate.
 * Publications that the bucket cannot serve wait in a queue; otherwise a publication that requests few bytes would take
 * those for which another one waits. While publications wait, others are served only from a full bucket: a full bucket
 * shows that the first publication in the queue has not requested bytes for a long time. If that happens twice, the
 * publication is treated as closed.
 */
final class CardTurns {
    private final TokenBucket bucket;
    private final boolean whole;
    private final ArrayDeque<Object> waiting = new ArrayDeque<>();
    private boolean missed;
    private boolean refused;

    /**
     * Creates the turns of a driver.
     *
     * @param bucket bytes that the card may send
     * @param whole  whether a publication gets either all bytes that it wants or none
     */
    CardTurns(TokenBucket bucket, boolean whole) {
        this.bucket = bucket;
        this.whole = whole;
    }

    /**
     * Takes bytes for a publication.
     *
     * @param publication publication that sends them
     * @param wanted      1 or more bytes
     * @param nowNs       the time
     * @return number of bytes that it may send
     */
    int take(Object publication, int wanted, long nowNs) {
        int taken = !whole || isTurnOf(publication, wanted, nowNs) ? bucket.takeAvailable(wanted, nowNs) : 0;
        refused |= taken == 0;
        return taken;
    }

    /** Whether a publication got nothing since the last call. */
    boolean haveRefused() {
        boolean did = refused;
        refused = false;
        return did;
    }

    private boolean isTurnOf(Object publication, int wanted, long nowNs) {
        Object first = waiting.peek();
        boolean isFirst = first == null || first == publication;
        boolean served = isFirst ? bucket.admits(Math.min(wanted, bucket.burst() / 2), nowNs) : bucket.isFull(nowNs);
        boolean gone = !isFirst && served && missed;
        if (gone) {
            waiting.poll();
        }
        missed = !isFirst && !gone && (served || missed);
        if (served) {
            waiting.remove(publication);
        } else if (!waiting.contains(publication)) {
            waiting.add(publication);
        }
        return served;
    }
}
