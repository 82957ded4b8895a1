package io.sluice.consistency.replica;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.exceptions.AeronException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes and reads a record as the messages of an engine's snapshot: first its length, then its bytes in pieces that
 * need no reassembly. Blocks the service's thread for as long as a working archive may take.
 */
final class SnapshotPieces {
    private static final int LIMIT = 16;

    /** Longest wait for the archive. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private SnapshotPieces() {}

    /** Writes the whole record. */
    static void write(ExclusivePublication publication, byte[] bytes, IdleStrategy idle) {
        UnsafeBuffer head = new UnsafeBuffer(new byte[Integer.BYTES]);
        head.putInt(0, bytes.length, ByteOrder.LITTLE_ENDIAN);
        offer(publication, head, 0, head.capacity(), idle);
        UnsafeBuffer body = new UnsafeBuffer(bytes);
        int piece = publication.maxPayloadLength();
        for (int at = 0; at < bytes.length; at += piece) {
            offer(publication, body, at, Math.min(piece, bytes.length - at), idle);
        }
    }

    private static void offer(
            ExclusivePublication publication, UnsafeBuffer buffer, int offset, int length, IdleStrategy idle) {
        idle.reset();
        long beginNs = System.nanoTime();
        long position = publication.offer(buffer, offset, length);
        while (position < 0) {
            if (Publication.CLOSED == position
                    || Publication.MAX_POSITION_EXCEEDED == position
                    || System.nanoTime() - beginNs > PATIENCE_NS) {
                throw new AeronException("a snapshot of the coordinators' record cannot be written: "
                        + Publication.errorString(position));
            }
            idle.idle();
            position = publication.offer(buffer, offset, length);
        }
    }

    /** Reads the whole record. */
    static byte[] read(Image image, IdleStrategy idle) {
        Pieces pieces = new Pieces();
        idle.reset();
        long heardNs = System.nanoTime();
        while (!pieces.isWhole()) {
            int fragments = image.poll(
                    (buffer, offset, length, _) -> {
                        byte[] piece = new byte[length];
                        buffer.getBytes(offset, piece);
                        pieces.add(piece);
                    },
                    LIMIT);
            heardNs = fragments > 0 ? System.nanoTime() : heardNs;
            if (0 == fragments && (image.isClosed() || System.nanoTime() - heardNs > PATIENCE_NS)) {
                throw new AeronException("a snapshot of the coordinators' record ends after " + pieces.bytes.size()
                        + " of " + pieces.expected + " bytes");
            }
            idle.idle(fragments);
        }
        return pieces.bytes.toByteArray();
    }

    private static final class Pieces {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int expected = -1;

        void add(byte[] piece) {
            if (expected < 0) {
                expected = new UnsafeBuffer(piece).getInt(0, ByteOrder.LITTLE_ENDIAN);
            } else {
                bytes.writeBytes(piece);
            }
        }

        boolean isWhole() {
            return expected >= 0 && bytes.size() >= expected;
        }
    }
}
