package io.sluice.cli;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.samples.UpdateListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the updates of the last {@value #CLOCKS} clocks of a run, for the measuring commands: raw little-endian
 * binary32, one clock after the other.
 */
final class UpdateRecording implements UpdateListener {
    private static final int CLOCKS = 8;

    private final List<float[]> kept = new ArrayList<>();
    private final int lastClock;

    /**
     * Creates a recording.
     *
     * @param lastClock last clock of the run; 0 to record nothing
     */
    UpdateRecording(int lastClock) {
        this.lastClock = lastClock;
    }

    @Override
    public void onUpdate(int clock, float[] update) {
        if (clock <= lastClock && clock > lastClock - CLOCKS) {
            kept.add(update.clone());
        }
    }

    /** Writes the recorded updates; an existing file is replaced. */
    void write(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            for (float[] update : kept) {
                ByteBuffer bytes =
                        ByteBuffer.allocate(update.length * Float.BYTES).order(LITTLE_ENDIAN);
                bytes.asFloatBuffer().put(update);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        }
    }
}
