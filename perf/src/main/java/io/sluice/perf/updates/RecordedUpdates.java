package io.sluice.perf.updates;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Updates of a training run, from a file of raw little-endian binary32: those of all elements at the first recorded
 * clock, then those of the next.
 */
public record RecordedUpdates(String file, int clocks) implements UpdateSource {
    private static final int SAMPLE = 1 << 18;

    /** Checks a file. */
    public static RecordedUpdates of(Path file, int clocks) throws IOException {
        RecordedUpdates updates = new RecordedUpdates(file.toString(), clocks);
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        long bytes = Files.size(file);
        if (Files.isDirectory(file) || bytes == 0 || bytes % ((long) clocks * Float.BYTES) != 0) {
            throw new IOException(file + " has " + bytes + " bytes, expected " + clocks
                    + " updates of one length in binary32: a multiple of " + (long) clocks * Float.BYTES + " bytes");
        }
        for (int clock = 0; clock < clocks; clock++) {
            updates.refuseNonFinite(clock);
        }
        return updates;
    }

    private void refuseNonFinite(int clock) throws IOException {
        float[] update = update(clock, 0, Math.toIntExact(maxElements()), 1);
        for (int i = 0; i < update.length; i++) {
            if (!Float.isFinite(update[i])) {
                throw new IOException(file + " holds " + update[i] + " as element " + i + " of clock " + clock
                        + ", expected finite numbers");
            }
        }
    }

    @Override
    public long maxElements() {
        try {
            return Files.size(Path.of(file)) / Float.BYTES / clocks;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public float[] update(int clock, long from, int elements, double kept) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.multiplyExact(elements, Float.BYTES)).order(LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(Path.of(file), StandardOpenOption.READ)) {
            channel.position((clock * maxElements() + from) * Float.BYTES);
            while (bytes.hasRemaining()) {
                if (channel.read(bytes) < 0) {
                    throw new EOFException(file + " ends in clock " + clock);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        float[] update = new float[elements];
        bytes.flip().asFloatBuffer().get(update);
        return update;
    }

    @Override
    public float threshold(long elements, double kept) {
        float[][] updates = new float[clocks][];
        for (int clock = 0; clock < clocks; clock++) {
            updates[clock] = update(clock, 0, Math.toIntExact(elements), kept);
        }
        return SteadyThreshold.of(SteadyThreshold.thinned(updates, SAMPLE), kept);
    }

    @Override
    public String label() {
        return Path.of(file).getFileName().toString();
    }
}
