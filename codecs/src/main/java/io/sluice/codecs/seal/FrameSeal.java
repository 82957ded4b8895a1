package io.sluice.codecs.seal;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.SealTrailer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import org.agrona.MutableDirectBuffer;

/**
 * Finishes the frames of one lane of a sender, in place: encrypts the payload, appends the {@link SealTrailer}, and
 * stores the checksum of the bytes that go out. Where a cluster does not seal, the checksum is all.
 *
 * <p>A <em>lane</em> is what numbers its frames by one counter: each seal is a lane of its own, so that several threads
 * of a node seal under one key and no nonce comes twice. {@link SenderSeals} hands lanes out.
 *
 * <p>For one thread. The JDK allocates about a kilobyte for each frame that is sealed; nothing else is allocated once
 * the longest frame has passed.
 */
public final class FrameSeal {
    private final FrameChecksum checksum = new FrameChecksum();
    private final SecretKey key;
    private final int lane;
    private final GcmBox box;
    private int audience = SealTrailer.EVERYBODY;
    private long addressee;
    private long sealed;

    private FrameSeal(SecretKey key, int lane, GcmBox box) {
        this.key = key;
        this.lane = lane;
        this.box = box;
    }

    /** What finishes frames that are not sealed. */
    public static FrameSeal checksumOnly() {
        return new FrameSeal(null, 0, null);
    }

    static FrameSeal ofLane(SecretKey key, int lane) {
        return new FrameSeal(key, lane, new GcmBox());
    }

    /**
     * Says for whom the frames are that are finished from now on: somebody else to whom they are sent refuses them.
     *
     * @param node id of the one receiver, or {@link SealTrailer#EVERYBODY}, which all are for at first
     * @return this
     */
    public FrameSeal to(int node) {
        audience = node;
        return this;
    }

    /**
     * Names the addressee of later frames, where the receiver's id does not tell: every other
     * node refuses them, also one that gets the same id later.
     *
     * @param joinNonce with which the one receiver has joined
     * @return this
     */
    public FrameSeal toAddressee(long joinNonce) {
        audience = SealTrailer.ADDRESSEE;
        addressee = joinNonce;
        return this;
    }

    /** Bytes by which frames get longer. */
    public int trailerLength() {
        return null == key ? 0 : SealTrailer.LENGTH;
    }

    /**
     * Finishes one frame. To be called last, once for each frame, when every other byte is in place.
     *
     * @param buffer holding the frame, with room for {@link #trailerLength()} bytes behind it
     * @param offset of its first byte
     * @param length of the frame so far
     * @return length of the finished frame
     */
    public int finish(MutableDirectBuffer buffer, int offset, int length) {
        int whole = length + trailerLength();
        if (null != key) {
            buffer.checkLimit(offset + whole);
            encrypt(buffer, offset, length);
        }
        checksum.write(buffer, offset, whole);
        return whole;
    }

    private void encrypt(MutableDirectBuffer buffer, int offset, int length) {
        long counter = ++sealed;
        int clear = GcmBox.clearLength(buffer, offset, length);
        int payload = length - clear;
        try {
            box.nonce(lane, audience, counter);
            box.begin(Cipher.ENCRYPT_MODE, key, buffer, offset, clear, audience, addressee);
            buffer.getBytes(offset + clear, box.in(payload), 0, payload);
            byte[] out = box.finish(payload, payload + SealTrailer.TAG_LENGTH);
            int end = offset + length + SealTrailer.LENGTH;
            buffer.putBytes(offset + clear, out, 0, payload);
            buffer.putBytes(end - SealTrailer.TAG_LENGTH, out, payload, SealTrailer.TAG_LENGTH);
            SealTrailer.write(buffer, end, lane, audience, counter);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a frame of " + length + " bytes cannot be sealed: " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return null == key ? "FrameSeal{checksum only}" : "FrameSeal{lane=" + lane + " sealed=" + sealed + "}";
    }
}
