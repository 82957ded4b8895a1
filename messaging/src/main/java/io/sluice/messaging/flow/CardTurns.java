package io.sluice.messaging.flow;

/**
 * Shares the bytes that a host's network card sends among paced publications. For the sender's thread.
 *
 * <p>Whole turns serve batches: a part of a turn is a short batch, and costs as much as a long one. Then the first
 * publication that the bucket cannot serve waits alone until it can, so that one that wants little does not take what
 * another waits for. While the bucket is full no publication waits: the one that waited has been closed.
 */
final class CardTurns {
    private final TokenBucket bucket;
    private final boolean whole;
    private Object waiting;

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
     * @return bytes that it gets; whole turns are no longer than the bucket
     */
    int take(Object publication, int wanted, long nowNs) {
        return !whole || isTurnOf(publication, wanted, nowNs) ? bucket.takeAvailable(wanted, nowNs) : 0;
    }

    private boolean isTurnOf(Object publication, int wanted, long nowNs) {
        if (waiting != null && waiting != publication && !bucket.isFull(nowNs)) {
            return false;
        }
        boolean admitted = bucket.admits(Math.min(wanted, bucket.burst()), nowNs);
        waiting = admitted ? null : publication;
        return admitted;
    }
}
