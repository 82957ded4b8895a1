package io.sluice.consistency.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/** A file that is written sequentially and ends in a CRC-32C of all bytes before it. */
final class ChecksummedFile {
    private final FileChannel channel;
    private final CRC32C checksum = new CRC32C();
    private long length;

    ChecksummedFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Appends the remaining bytes of a buffer. */
    void put(ByteBuffer bytes) throws IOException {
        checksum.update(bytes.duplicate());
        write(bytes);
    }

    /** Appends and returns the checksum. */
    int finish() throws IOException {
        int value = (int) checksum.getValue();
        write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .flip());
        return value;
    }

    /** Number of bytes written. */
    long length() {
        return length;
    }

    private void write(ByteBuffer bytes) throws IOException {
        length += bytes.remaining();
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
