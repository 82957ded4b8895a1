package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.codecs.seal.KeySchedule;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JoinProofTest {
    private final FrameBuffer frame = new FrameBuffer(1_000);
    private final UnsafeBuffer buffer = frame.buffer();
    private final JoinProof proof = new JoinProof(SampleFrame.keys());

    @ParameterizedTest
    @EnumSource(names = {"CHALLENGE", "PROOF", "LEAD"})
    void isValidForTheseBytesOnly(SampleFrame sample) {
        int length = sample.encode(frame);
        assertTrue(proof.verify(buffer, 0, length));
        for (int bit = 0; bit < length * Byte.SIZE; bit++) {
            int at = bit / Byte.SIZE;
            byte before = buffer.getByte(at);
            buffer.putByte(at, (byte) (before ^ 1 << bit % Byte.SIZE));
            boolean inChecksum = at >= Frame.CHECKSUM_OFFSET && at < Frame.CHECKSUM_END;
            assertEquals(inChecksum, proof.verify(buffer, 0, length), "bit " + bit);
            buffer.putByte(at, before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void isValidOnlyInFramesMadeForIt(SampleFrame sample) {
        int length = sample.encode(frame);
        boolean carries = sample.isProved();
        assertEquals(carries, proof.verify(buffer, 0, length));
        assertFalse(proof.verify(buffer, 0, length - 1));
        assertFalse(proof.verify(buffer, 0, Frame.ENVELOPE_END));
    }

    @Test
    void anotherSecretProvesNothing() {
        int length = SampleFrame.PROOF.encode(frame);
        JoinProof foreign = new JoinProof(new KeySchedule(ClusterSecret.of(new byte[16])));

        assertFalse(foreign.verify(buffer, 0, length));
    }

    @Test
    void challengesAndNoncesDiffer() {
        Set<String> challenges = new HashSet<>();
        Set<Long> nonces = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            challenges.add(HexFormat.of().formatHex(JoinProof.newChallenge()));
            long nonce = JoinProof.newNonce();
            assertTrue(nonce > 0);
            nonces.add(nonce);
        }
        assertEquals(1_000, challenges.size());
        assertEquals(1_000, nonces.size());
    }
}
