package io.sluice.codecs.seal;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.Frame;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.sbe.DataDecoder;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * AES-256-GCM over a frame, using the JDK: common to sealing and opening.
 *
 * <p>The JDK's cipher is three times as fast between arrays as between direct buffers, which it copies piece by piece.
 * So the payload is copied into an array, and the result out of another. The JDK allocates about a kilobyte per frame
 * for the new nonce, all of it short-lived.
 *
 * <p>For one thread.
 */
final class GcmBox {
    private static final int TAG_BITS = SealTrailer.TAG_LENGTH * Byte.SIZE;
    private static final int NONCE_LENGTH = 12;

    private final Cipher cipher;
    private final byte[] nonce = new byte[NONCE_LENGTH];
    private final UnsafeBuffer nonceView = new UnsafeBuffer(nonce);
    private byte[] clear = new byte[0];
    private byte[] in = new byte[0];
    private byte[] out = new byte[0];

    GcmBox() {
        try {
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no AES/GCM/NoPadding: " + e.getMessage(), e);
        }
    }

    /**
     * Number of bytes at the start of a frame that stay readable, for relays: all bytes except the payload of data.
     *
     * @param buffer buffer holding the frame
     * @param offset offset of its first byte
     * @param length length of the frame without its trailer
     */
    static int clearLength(DirectBuffer buffer, int offset, int length) {
        return Frame.templateId(buffer, offset) == DataDecoder.TEMPLATE_ID ? Frame.DATA_LENGTH : length;
    }

    /** Sets the nonce of the next frame. */
    void nonce(int lane, int audience, long counter) {
        nonceView.putShort(0, (short) lane, LITTLE_ENDIAN);
        nonceView.putShort(Short.BYTES, (short) audience, LITTLE_ENDIAN);
        nonceView.putLong(2 * Short.BYTES, counter, LITTLE_ENDIAN);
    }

    /**
     * Starts a frame: sets the key and authenticates the part that stays readable, except for the checksum. With the
     * audience {@link SealTrailer#ADDRESSEE} it also authenticates the receiver's join nonce.
     */
    void begin(int mode, SecretKey key, DirectBuffer buffer, int offset, int clearLength, int audience, long addressee)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        int authenticated = clearLength - (Frame.CHECKSUM_END - Frame.CHECKSUM_OFFSET);
        clear = atLeast(clear, authenticated);
        buffer.getBytes(offset, clear, 0, Frame.CHECKSUM_OFFSET);
        buffer.getBytes(
                offset + Frame.CHECKSUM_END, clear, Frame.CHECKSUM_OFFSET, authenticated - Frame.CHECKSUM_OFFSET);
        cipher.updateAAD(clear, 0, authenticated);
        if (audience == SealTrailer.ADDRESSEE) {
            nonceView.putLong(0, addressee, LITTLE_ENDIAN); // the cipher has copied the previous content
            cipher.updateAAD(nonce, 0, Long.BYTES);
        }
    }

    /** Room for the input. */
    byte[] in(int length) {
        in = atLeast(in, length);
        return in;
    }

    /** Encrypts or decrypts the content of {@link #in} and returns the array that holds the result. */
    byte[] finish(int length, int outLength) throws GeneralSecurityException {
        out = atLeast(out, outLength);
        cipher.doFinal(in, 0, length, out, 0);
        return out;
    }

    private static byte[] atLeast(byte[] room, int length) {
        return room.length >= length ? room : Arrays.copyOf(room, Math.max(length, 2 * room.length));
    }
}
