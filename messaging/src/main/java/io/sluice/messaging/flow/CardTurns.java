package io.sluice.messaging.flow;

/**
 * Shares the bytes that a host's network card sends among paced publications. For the sender's thread.
 *
 * <p>Whole turns serve batches: a part of a turn is a short batch, and costs as much as a long one. A turn longer
 * than half of the bucket is served from half a bucket on: a bucket that is full between two polls would lose rate.
 * The first publication that the bucket cannot serve waits alone until it is served; another that wants little would
 * take what it waits for. Meanwhile others are served only from a full bucket, which shows that the waiting
 * publication has not asked for long. After the second time, the waiting publication is taken for closed.
 */
final class CardTurns {
    private final TokenBucket bucket;
    private final boolean whole;
    private Object waiting;
    private boolean missed;

    /**
     * For a driver.
     *
     * @param bucket bytes that the card may send
     * @param whole  whether a publication gets all that it wants or nothing
     */
    CardTurns(TokenBucket bucket, boolean whole) {
        this.bucket = bucket;
        this.whole = whole;
    }

    /**
     * Takes bytes for a publication.
     *
     * @param publication that sends them
     * @param wanted      1 or more bytes
     * @param nowNs       the time
     * @return bytes that it gets
     */
    int take(Object publication, int wanted, long nowNs) {
        return !whole || isTurnOf(publication, wanted, nowNs) ? bucket.takeAvailable(wanted, nowNs) : 0;
    }

    private boolean isTurnOf(Object publication, int wanted, long nowNs) {
        if (waiting != null && waiting != publication) {
            boolean full = bucket.isFull(nowNs);
            waiting = full && missed ? null : waiting;
            missed |= full;
            return full;
        }
        boolean admitted = bucket.admits(Math.min(wanted, bucket.burst() / 2), nowNs);
        waiting = admitted ? null : publication;
        missed = false;
        return admitted;
    }
}
