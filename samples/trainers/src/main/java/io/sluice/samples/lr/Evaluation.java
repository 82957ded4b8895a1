package io.sluice.samples.lr;

import io.sluice.consistency.worker.FloatView;
import io.sluice.samples.data.Dataset;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The quality of a trained model.
 *
 * @param loss mean log-loss over all training examples
 * @param accuracy share of held-out examples classified right
 */
public record Evaluation(double loss, double accuracy) {

    /**
     * Evaluates a replica.
     *
     * @param data training and held-out examples
     * @param w the replica
     * @return loss and accuracy
     */
    public static Evaluation of(Dataset data, FloatView w) {
        return of(data, w::get);
    }

    /**
     * Evaluates plain parameters.
     *
     * @param data training and held-out examples
     * @param w the parameters
     * @return loss and accuracy
     */
    public static Evaluation of(Dataset data, float[] w) {
        return of(data, (LrModel.Parameters) i -> w[(int) i]);
    }

    private static Evaluation of(Dataset data, LrModel.Parameters w) {
        return new Evaluation(LrModel.meanLoss(data.train(), w), LrModel.accuracy(data.test(), w));
    }

    /**
     * A fingerprint of a replica's bits.
     *
     * @param w the replica
     * @return SHA-256 over the floats, little endian, in hexadecimal
     */
    public static String hash(FloatView w) {
        MessageDigest digest = sha256();
        float[] run = new float[1 << 16];
        for (long start = 0; start < w.size(); start += run.length) {
            float[] part = w.size() - start < run.length ? new float[(int) (w.size() - start)] : run;
            w.copyTo(start, part);
            digest.update(bytes(part));
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * A fingerprint of plain parameters, equal to that of a replica with the same bits.
     *
     * @param w the parameters
     * @return SHA-256 over the floats, little endian, in hexadecimal
     */
    public static String hash(float[] w) {
        MessageDigest digest = sha256();
        digest.update(bytes(w));
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
