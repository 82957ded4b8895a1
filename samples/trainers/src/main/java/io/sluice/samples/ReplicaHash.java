package io.sluice.samples;

import io.sluice.consistency.worker.FloatView;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** A fingerprint of a model's bits: SHA-256 over its floats, little endian, in hexadecimal. */
public final class ReplicaHash {
    private ReplicaHash() {}

    /**
     * The fingerprint of a replica.
     *
     * @param tables its tables, in their order
     * @return the hash of the floats of all tables, one after the other
     */
    public static String of(List<FloatView> tables) {
        MessageDigest digest = sha256();
        float[] run = new float[1 << 16];
        for (FloatView table : tables) {
            for (long start = 0; start < table.size(); start += run.length) {
                float[] part = table.size() - start < run.length ? new float[(int) (table.size() - start)] : run;
                table.copyTo(start, part);
                digest.update(bytes(part));
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * The fingerprint of plain parameters, equal to that of a replica with the same bits.
     *
     * @param model the parameters of all tables, one table after the other
     * @return the hash
     */
    public static String of(float[] model) {
        MessageDigest digest = sha256();
        digest.update(bytes(model));
        return HexFormat.of().formatHex(digest.digest());
    }

    private static ByteBuffer bytes(float[] floats) {
        ByteBuffer bytes = ByteBuffer.allocate(floats.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(floats);
        return bytes;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
