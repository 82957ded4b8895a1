package io.sluice.codecs.seal;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The proof in the three frames (Challenge, Proof, Lead) by which a node and its coordinators prove to each other that
 * they have the secret: HMAC-SHA256 (RFC 2104) over all bytes of the frame except its checksum and the proof itself,
 * its last 32 bytes.
 *
 * <p>The header, which the proof covers, has the template, so no frame can be turned into another. For one thread.
 */
public final class JoinProof {
    /** Length of a proof, and of a challenge, in bytes. */
    public static final int LENGTH = 32;

    private static final byte[] NONE_YET = new byte[LENGTH];
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Mac mac;
    private final FrameChecksum checksum = new FrameChecksum();

    /**
     * Creates an object that creates and verifies proofs.
     *
     * @param schedule schedule of the cluster's secret
     */
    public JoinProof(KeySchedule schedule) {
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(schedule.proofs());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no HmacSHA256: " + e.getMessage(), e);
        }
    }

    /** A new random challenge. */
    public static byte[] newChallenge() {
        byte[] challenge = new byte[LENGTH];
        RANDOM.nextBytes(challenge);
        return challenge;
    }

    /** A random nonce above 0; 0 means no join. */
    public static long newNonce() {
        return RANDOM.nextLong(1, Long.MAX_VALUE);
    }

    /** The placeholder in a frame whose proof is yet to be computed. */
    public static byte[] none() {
        return NONE_YET.clone();
    }

    /**
     * Writes proof and checksum into a frame.
     *
     * @param buffer buffer holding the frame, whose last field is the proof
     * @param offset offset of its first byte
     * @param length length of the frame
     */
    public void finish(MutableDirectBuffer buffer, int offset, int length) {
        buffer.putBytes(offset + length - LENGTH, of(buffer, offset, length));
        checksum.write(buffer, offset, length);
    }

    /**
     * Verifies a proof in constant time.
     *
     * @param buffer buffer holding a frame that the validator has found valid
     * @param offset offset of its first byte
     * @param length length of the frame
     * @return whether it was made with the same secret for these bytes
     */
    public boolean verify(DirectBuffer buffer, int offset, int length) {
        int field = offset + length - LENGTH - Short.BYTES;
        if (length < Frame.ENVELOPE_END + LENGTH + Short.BYTES || buffer.getShort(field, LITTLE_ENDIAN) != LENGTH) {
            return false;
        }
        byte[] given = new byte[LENGTH];
        buffer.getBytes(offset + length - LENGTH, given);
        return MessageDigest.isEqual(of(buffer, offset, length), given);
    }

    private byte[] of(DirectBuffer buffer, int offset, int length) {
        byte[] frame = new byte[length];
        buffer.getBytes(offset, frame);
        mac.update(frame, 0, Frame.CHECKSUM_OFFSET);
        mac.update(frame, Frame.CHECKSUM_END, length - LENGTH - Frame.CHECKSUM_END);
        return mac.doFinal();
    }
}
