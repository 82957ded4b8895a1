package io.sluice.consistency.clock;

import io.sluice.codecs.ClockDigest;

/**
 * The account of one table on one link: which round is open, how many of its frames were sent or accepted, and their
 * running checksum. The sender's and the receiver's ledgers must agree at every round commit. This proves that no frame
 * was lost, duplicated or reordered, regardless of the transport's guarantees.
 *
 * <p>Used by one thread. Allocates nothing.
 */
public final class ClockLedger {
    private final ClockDigest digest = new ClockDigest();
    private long round;

    /**
     * Opens a ledger.
     *
     * @param firstRound round of the first frames
     */
    public ClockLedger(long firstRound) {
        this.round = firstRound;
    }

    /**
     * The round that is open.
     *
     * @return round to which the next frame belongs
     */
    public long round() {
        return round;
    }

    /**
     * Number of frames entered for the open round, which is also the sequence number of the next frame.
     *
     * @return number of frames
     */
    public int frames() {
        return digest.frames();
    }

    /**
     * Running checksum over the frames of the open round.
     *
     * @return the digest's value
     */
    public int value() {
        return digest.value();
    }

    /**
     * Whether a frame is the next due frame.
     *
     * @param frameRound round in the frame
     * @param sequence   sequence in the frame
     * @return true if it is neither early nor late
     */
    public boolean isNext(long frameRound, int sequence) {
        return frameRound == round && sequence == digest.frames();
    }

    /**
     * Whether a frame has been entered before.
     *
     * @param frameRound round in the frame
     * @param sequence   sequence in the frame
     * @return true if it is a duplicate
     */
    public boolean isPast(long frameRound, int sequence) {
        return frameRound < round || (frameRound == round && sequence < digest.frames());
    }

    /**
     * Enters a frame.
     *
     * @param frameChecksum checksum in the frame's envelope
     */
    public void enter(int frameChecksum) {
        digest.add(frameChecksum);
    }

    /**
     * Whether a round commit that closes the open round agrees with this ledger.
     *
     * @param frames frames that the round commit counts
     * @param value  checksum that the round commit carries
     * @return true if both agree
     */
    public boolean agrees(int frames, int value) {
        return frames == digest.frames() && value == digest.value();
    }

    /**
     * Closes the open round and opens another.
     *
     * @param nextRound round that follows
     */
    public void open(long nextRound) {
        round = nextRound;
        digest.reset();
    }

    /**
     * Describes a frame that is not the next due frame.
     *
     * @param frameRound round in the frame
     * @param sequence sequence in the frame
     * @return the end of a sentence that begins with the sender
     */
    public String gapBefore(long frameRound, int sequence) {
        return "sent frame " + sequence + " of clock " + frameRound + " where frame " + frames() + " of clock " + round
                + " was due: frames are lost";
    }

    /**
     * Describes how a round commit disagrees.
     *
     * @param committedRound round that the round commit closes
     * @param frames frames that the round commit counts
     * @param value checksum that the round commit carries
     * @return the end of a sentence that begins with the sender
     */
    public String disagreement(long committedRound, int frames, int value) {
        return "closed clock " + committedRound + " with " + frames + " frames and digest " + Integer.toHexString(value)
                + ", received were " + frames() + " of clock " + round + " with digest "
                + Integer.toHexString(value());
    }
}
