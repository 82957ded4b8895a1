package io.sluice.codecs.seal;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Opens sealed frames of admitted senders into one buffer, which the next frame overwrites. A frame with a wrong tag
 * leaves no plaintext in the buffer.
 *
 * <p>The opener refuses a frame that was {@linkplain #taken() taken} before, unless it is data or a round commit:
 * senders may repeat those on purpose, and the ledgers of their streams detect repeats.
 *
 * <p>Input is hostile: bad bytes result in a {@link Rejection} and do not affect later frames. For one thread.
 */
public final class FrameOpener {
    private final KeySchedule schedule;
    private final long clusterId;
    private final int receiver;
    private final GcmBox box = new GcmBox();

    /** The join nonce of the receiver, if frames are addressed by it. */
    private final long joinNonce;

    private final Int2ObjectHashMap<Sender> senders = new Int2ObjectHashMap<>();
    private final FrameBuffer opened;
    private int length;

    /** The sender of the frame that was opened last if that frame may be taken only once, otherwise null. */
    private Sender takenOnceFrom;

    private int openedLane;
    private long openedCounter;

    /**
     * Creates an opener that has no keys of senders yet.
     *
     * @param schedule schedule of the cluster's secret
     * @param clusterId cluster id of this run of the cluster
     * @param receiver id of the node that opens; frames for other nodes are refused
     * @param longest length of the longest frame to open, in bytes, without its trailer
     */
    public FrameOpener(KeySchedule schedule, long clusterId, int receiver, int longest) {
        this(schedule, clusterId, receiver, 0, longest);
    }

    /**
     * Creates an opener without senders, for frames addressed to the join nonce of a node only.
     *
     * @param schedule schedule of the cluster's secret
     * @param clusterId cluster id of this run of the cluster
     * @param joinNonce join nonce of the node that opens
     * @param longest length of the longest frame to open, in bytes, without its trailer
     * @return the opener
     */
    public static FrameOpener ofAddressee(KeySchedule schedule, long clusterId, long joinNonce, int longest) {
        return new FrameOpener(schedule, clusterId, SealTrailer.ADDRESSEE, joinNonce, longest);
    }

    private FrameOpener(KeySchedule schedule, long clusterId, int receiver, long joinNonce, int longest) {
        this.receiver = receiver;
        this.joinNonce = joinNonce;
        this.schedule = schedule;
        this.clusterId = clusterId;
        this.opened = new FrameBuffer(longest);
    }

    /**
     * Admits a sender, or a sender that has joined again, whose earlier frames are refused from now on.
     *
     * @param node id of the sender
     * @param epoch epoch in which it was welcomed
     * @param joinNonce join nonce with which it joined
     */
    public void admit(int node, int epoch, long joinNonce) {
        senders.put(node, new Sender(schedule.sender(clusterId, epoch, node, joinNonce), epoch));
    }

    /**
     * Opens a frame.
     *
     * @param buffer buffer holding a frame that the validator has found valid, and to end in a {@link SealTrailer}
     * @param offset offset of its first byte
     * @param sealedLength length of the frame, with the trailer
     * @return {@code null} if it is genuine, and {@link #frame()} holds it; otherwise the reason why it is not
     */
    public Rejection open(DirectBuffer buffer, int offset, int sealedLength) {
        int end = offset + sealedLength;
        takenOnceFrom = null;
        Sender sender = senders.get(Frame.origin(buffer, offset));
        if (null == sender) {
            return Rejection.UNKNOWN_ORIGIN;
        }
        if (Frame.epoch(buffer, offset) < sender.epoch) {
            return Rejection.STALE_EPOCH;
        }
        length = sealedLength - SealTrailer.LENGTH;
        if (length > opened.capacity()) {
            return Rejection.BAD_LENGTH;
        }
        int audience = SealTrailer.audience(buffer, end);
        if (audience != receiver && (audience != SealTrailer.EVERY_NODE || receiver == SealTrailer.ADDRESSEE)) {
            return Rejection.REPLAYED;
        }
        boolean once = isOnce(Frame.templateId(buffer, offset));
        int lane = SealTrailer.lane(buffer, end);
        long counter = SealTrailer.counter(buffer, end);
        if (once && sender.hasSeen(lane, counter)) {
            return Rejection.REPLAYED;
        }
        box.nonce(lane, audience, counter);
        if (!decrypt(sender.key, buffer, offset, audience)) {
            return Rejection.BAD_SEAL;
        }
        takenOnceFrom = once ? sender : null;
        openedLane = lane;
        openedCounter = counter;
        return null;
    }

    /** Marks the frame opened last as taken, not deferred: the opener refuses a repeat of it. */
    public void taken() {
        if (null != takenOnceFrom) {
            takenOnceFrom.enter(openedLane, openedCounter);
            takenOnceFrom = null;
        }
    }

    private static boolean isOnce(int templateId) {
        return templateId != DataDecoder.TEMPLATE_ID && templateId != RoundCommitDecoder.TEMPLATE_ID;
    }

    private boolean decrypt(SecretKey key, DirectBuffer buffer, int offset, int audience) {
        int clear = GcmBox.clearLength(buffer, offset, length);
        int payload = length - clear;
        int tagged = payload + SealTrailer.TAG_LENGTH;
        try {
            box.begin(Cipher.DECRYPT_MODE, key, buffer, offset, clear, audience, joinNonce);
            byte[] in = box.in(tagged);
            buffer.getBytes(offset + clear, in, 0, payload);
            int tag = offset + length + SealTrailer.LENGTH - SealTrailer.TAG_LENGTH;
            buffer.getBytes(tag, in, payload, SealTrailer.TAG_LENGTH);
            byte[] out = box.finish(tagged, payload);
            opened.buffer().putBytes(0, buffer, offset, clear);
            opened.buffer().putBytes(clear, out, 0, payload);
            return true;
        } catch (GeneralSecurityException e) {
            return false; // wrong tag: tampered with, or sealed with another key
        }
    }

    /** The frame opened last, from index 0 on: as before it was sealed, except for its checksum. */
    public UnsafeBuffer frame() {
        return opened.buffer();
    }

    /** Number of bytes of the frame opened last, without the trailer. */
    public int length() {
        return length;
    }

    /**
     * State of one sender. A lane gets a replay window with its first authentic frame, so forged frames allocate
     * nothing.
     */
    private static final class Sender {
        final SecretKey key;
        final int epoch;
        private final Int2ObjectHashMap<ReplayWindow> windows = new Int2ObjectHashMap<>();

        Sender(SecretKey key, int epoch) {
            this.key = key;
            this.epoch = epoch;
        }

        boolean hasSeen(int lane, long counter) {
            ReplayWindow window = windows.get(lane);
            return null != window && window.isSeen(counter);
        }

        void enter(int lane, long counter) {
            ReplayWindow window = windows.get(lane);
            if (null == window) {
                window = new ReplayWindow();
                windows.put(lane, window);
            }
            window.enter(counter);
        }
    }
}
