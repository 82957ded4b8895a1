package io.sluice.messaging.bandwidth;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The datagrams of a measurement, to the byte in {@code docs/protocol.md}: a primer that is not evaluated, a probe, the
 * request for the arrivals, and the answer. Fields are little endian, as in all frames.
 *
 * <p>The request is as long as its answer, so that a receiver cannot be used for amplification.
 */
final class ProbeDatagram {
    static final int MAGIC = 0x5742_4C53;
    static final byte VERSION = 1;

    static final byte PROBE = 1;
    static final byte QUESTION = 2;
    static final byte ANSWER = 3;
    static final byte PRIMER = 4;

    static final int MAX_STEPS = 256;
    static final int MAX_PARTS = 1_024;

    /** Delay of a step whose last datagram did not arrive. */
    static final int LOST = Integer.MIN_VALUE;

    /** Length of the header of all four datagrams. */
    static final int HEADER = 32;

    static final int PROBE_LENGTH = 48;
    static final int MAX_LENGTH = 9_216;

    private static final int ANSWER_DELAYS = 48;

    private ProbeDatagram() {}

    /** Creates a direct buffer that can hold any of these datagrams. */
    static ByteBuffer newBuffer() {
        return ByteBuffer.allocateDirect(MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    }

    static int answerLength(int steps) {
        return ANSWER_DELAYS + steps * Integer.BYTES;
    }

    /** Writes the fields that all probes of a stream share, and fills the rest of the datagram with zeros. */
    static void beginProbes(ByteBuffer buffer, long cluster, long nonce, int stream, StreamShape shape) {
        header(buffer, PROBE, cluster, nonce, stream, shape);
        for (int i = PROBE_LENGTH; i < shape.length(); i++) {
            buffer.put(i, (byte) 0);
        }
        buffer.limit(shape.length());
    }

    static void probe(ByteBuffer buffer, int step, int part, long sentNs) {
        buffer.putShort(32, (short) step)
                .putShort(34, (short) part)
                .putInt(36, 0)
                .putLong(40, sentNs);
    }

    static void beginPrimers(ByteBuffer buffer, long cluster, long nonce, int stream, StreamShape shape) {
        beginProbes(buffer, cluster, nonce, stream, shape);
        buffer.put(5, PRIMER);
    }

    static void question(ByteBuffer buffer, long cluster, long nonce, int stream, StreamShape shape) {
        header(buffer, QUESTION, cluster, nonce, stream, shape);
        int length = answerLength(shape.steps());
        for (int i = HEADER; i < length; i++) {
            buffer.put(i, (byte) 0);
        }
        buffer.limit(length);
    }

    private static void header(ByteBuffer buffer, byte type, long cluster, long nonce, int stream, StreamShape shape) {
        buffer.clear();
        buffer.putInt(0, MAGIC).put(4, VERSION).put(5, type).putShort(6, (short) shape.steps());
        buffer.putLong(8, cluster).putLong(16, nonce).putInt(24, stream).putInt(28, shape.parts());
    }

    /** Turns a request in the buffer into its answer. */
    static void answer(ByteBuffer buffer, int received, long spanNs, int[] delays) {
        int steps = steps(buffer);
        buffer.put(5, ANSWER).putInt(32, received).putInt(36, 0).putLong(40, spanNs);
        for (int i = 0; i < steps; i++) {
            buffer.putInt(ANSWER_DELAYS + i * Integer.BYTES, delays[i]);
        }
        buffer.position(0).limit(answerLength(steps));
    }

    /**
     * Checks the datagram in the buffer, from 0 to its limit.
     *
     * @return a description of the fault, or {@code null} if the datagram is valid
     */
    static String fault(ByteBuffer buffer, long cluster) {
        int length = buffer.limit();
        if (length < PROBE_LENGTH) {
            return "too short";
        }
        if (buffer.getInt(0) != MAGIC || buffer.get(4) != VERSION) {
            return "not a probe of this version";
        }
        if (buffer.getLong(8) != cluster) {
            return "of another cluster";
        }
        if (steps(buffer) < 1 || steps(buffer) > MAX_STEPS || parts(buffer) < 1 || parts(buffer) > MAX_PARTS) {
            return "a stream of impossible size";
        }
        return switch (type(buffer)) {
            case PROBE -> step(buffer) < steps(buffer) && part(buffer) < parts(buffer) ? null : "outside its stream";
            case QUESTION, ANSWER -> length == answerLength(steps(buffer)) ? null : "of a wrong length";
            case PRIMER -> null;
            default -> "of an unknown type";
        };
    }

    static byte type(ByteBuffer buffer) {
        return buffer.get(5);
    }

    static int steps(ByteBuffer buffer) {
        return Short.toUnsignedInt(buffer.getShort(6));
    }

    static long nonce(ByteBuffer buffer) {
        return buffer.getLong(16);
    }

    static int stream(ByteBuffer buffer) {
        return buffer.getInt(24);
    }

    static int parts(ByteBuffer buffer) {
        return buffer.getInt(28);
    }

    static int step(ByteBuffer buffer) {
        return Short.toUnsignedInt(buffer.getShort(32));
    }

    static int part(ByteBuffer buffer) {
        return Short.toUnsignedInt(buffer.getShort(34));
    }

    static long sentNs(ByteBuffer buffer) {
        return buffer.getLong(40);
    }

    static int received(ByteBuffer buffer) {
        return buffer.getInt(32);
    }

    static long spanNs(ByteBuffer buffer) {
        return buffer.getLong(40);
    }

    static int delay(ByteBuffer buffer, int step) {
        return buffer.getInt(ANSWER_DELAYS + step * Integer.BYTES);
    }
}
