package io.sluice.codecs.seal;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.SealTrailer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import org.agrona.MutableDirectBuffer;

/**
 * Finishes the frames of one lane of a sender, in place: encrypts the payload, appends the {@link SealTrailer}, and
 * stores the checksum of the bytes that are sent. In a cluster without seals it only stores the checksum.
 *
 * <p>A <em>lane</em> numbers its frames with one counter. Each seal has its own lane, so that several threads of a node
 * can seal with one key and no nonce is used twice. {@link SenderSeals} assigns lanes.
 *
 * <p>For one thread. The JDK allocates about a kilobyte per sealed frame; nothing else is allocated once the longest
 * frame was sealed.
 */
public final class FrameSeal {
    private final FrameChecksum checksum = new FrameChecksum();
    private final SecretKey key;
    private final int lane;
    private final GcmBox box;
    private int audience = SealTrailer.EVERY_NODE;
    private long addressee;
    private long sealed;

    private FrameSeal(SecretKey key, int lane, GcmBox box) {
        this.key = key;
        this.lane = lane;
        this.box = box;
    }

    /** Creates a seal that only stores checksums. */
    public static FrameSeal checksumOnly() {
        return new FrameSeal(null, 0, null);
    }

    static FrameSeal ofLane(SecretKey key, int lane) {
        return new FrameSeal(key, lane, new GcmBox());
    }

    /**
     * Sets the audience of the frames finished from now on: other nodes refuse them.
     *
     * @param node id of the one receiver, or {@link SealTrailer#EVERY_NODE}, the default
     * @return this
     */
    public FrameSeal to(int node) {
        audience = node;
        return this;
    }

    /**
     * Sets the addressee of all later frames, where an id is not enough: all other nodes refuse them, including a node
     * that gets the same id later.
     *
     * @param joinNonce join nonce of the receiver
     * @return this
     */
    public FrameSeal toAddressee(long joinNonce) {
        audience = SealTrailer.ADDRESSEE;
        addressee = joinNonce;
        return this;
    }

    /** Number of bytes that the seal adds to each frame. */
    public int trailerLength() {
        return null == key ? 0 : SealTrailer.LENGTH;
    }

    /**
     * Seals a frame if there is a key, and stores its checksum. Call it once per frame, after every other byte is
     * written.
     *
     * @param buffer buffer holding the frame, with {@link #trailerLength()} more bytes after it
     * @param offset offset of its first byte
     * @param length length of the frame so far
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
