package io.sluice.codecs.seal;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.codecs.api.ClusterSecret;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * Derives keys from a cluster's secret, by HKDF with SHA-256 (RFC 5869): one for the proofs of a join, and one for each
 * sender of sealed frames.
 *
 * <p>A sender's key depends on the nonce with which it joined, which is random for each attempt. A restarted node
 * therefore never has its former key, and its counters may start at 0.
 *
 * <p>Immutable. Keys are 256 bits.
 */
public final class KeySchedule {
    private static final byte[] SALT = "sluice cluster secret 1".getBytes(US_ASCII);
    private static final byte[] PROOFS = "sluice proofs".getBytes(US_ASCII);
    private static final byte[] FRAMES = "sluice frames".getBytes(US_ASCII);
    private static final int KEY_BYTES = 32;

    private final ClusterSecret secret;

    /**
     * Creates the schedule of a secret.
     *
     * @param secret secret of the cluster
     */
    public KeySchedule(ClusterSecret secret) {
        this.secret = secret;
    }

    /** The key of the proofs that nodes exchange when they join. */
    public SecretKey proofs() {
        return derive("HmacSHA256", PROOFS);
    }

    /**
     * The key with which one sender seals.
     *
     * @param clusterId id of this run of the cluster
     * @param epoch epoch in which the sender was welcomed
     * @param node id of the sender
     * @param joinNonce nonce with which the sender joined, or, for the coordinator, the nonce in its challenges
     * @return a key for AES-256
     */
    public SecretKey sender(long clusterId, int epoch, int node, long joinNonce) {
        ByteBuffer info = ByteBuffer.allocate(FRAMES.length + 2 * Long.BYTES + 2 * Integer.BYTES)
                .order(LITTLE_ENDIAN);
        info.put(FRAMES).putLong(clusterId).putInt(epoch).putInt(node).putLong(joinNonce);
        return derive("AES", info.array());
    }

    private SecretKey derive(String algorithm, byte[] info) {
        AlgorithmParameterSpec spec = HKDFParameterSpec.ofExtract()
                .addIKM(secret.material())
                .addSalt(SALT)
                .thenExpand(info, KEY_BYTES);
        try {
            return KDF.getInstance("HKDF-SHA256").deriveKey(algorithm, spec);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK cannot derive keys with HKDF-SHA256: " + e.getMessage(), e);
        }
    }
}
