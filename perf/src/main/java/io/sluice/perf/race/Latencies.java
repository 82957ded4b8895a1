package io.sluice.perf.race;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** A histogram on its way from the JVM of a contestant: HdrHistogram's own compressed form leaves out the times. */
final class Latencies {
    private static final int NONE = -1;

    private Latencies() {}

    /** Writes a histogram, or that there is none. */
    static void write(Histogram histogram, DataOutputStream out) throws IOException {
        if (histogram == null) {
            out.writeInt(NONE);
            return;
        }
        ByteBuffer encoded = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(encoded);
        out.writeInt(length);
        out.write(encoded.array(), 0, length);
        out.writeLong(histogram.getStartTimeStamp());
        out.writeLong(histogram.getEndTimeStamp());
    }

    /** Reads what {@link #write} has written; {@code null} if there is none. */
    static Histogram read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length == NONE) {
            return null;
        }
        byte[] encoded = new byte[length];
        in.readFully(encoded);
        try {
            Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(encoded), 0);
            histogram.setStartTimeStamp(in.readLong());
            histogram.setEndTimeStamp(in.readLong());
            return histogram;
        } catch (DataFormatException e) {
            throw new IOException("parent and child are not of one build", e);
        }
    }
}
