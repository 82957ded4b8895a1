package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.LibSvm;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.LrReference;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpdateRecordingTest {
    @TempDir
    private Path folder;

    private float[] recorded(UpdateRecording recording) throws IOException {
        Path file = Files.writeString(folder.resolve("updates.f32"), "replaced");
        recording.write(file);
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        float[] values = new float[bytes.remaining() / Float.BYTES];
        bytes.asFloatBuffer().get(values);
        return values;
    }

    @Test
    void keepsTheLastEightClocks() throws IOException {
        UpdateRecording recording = new UpdateRecording(10);
        float[] update = new float[1];
        for (int clock = 1; clock <= 10; clock++) {
            update[0] = clock;
            recording.onUpdate(clock, update);
        }
        assertArrayEquals(new float[] {3, 4, 5, 6, 7, 8, 9, 10}, recorded(recording));
    }

    @Test
    void keepsNothingUnlessAsked() throws IOException {
        UpdateRecording recording = new UpdateRecording(0);
        recording.onUpdate(1, new float[1]);
        assertEquals(0, recorded(recording).length);
    }

    @Test
    void ofOneWorkerAddsUpToItsParameters() throws IOException {
        Path file =
                Files.writeString(folder.resolve("rows"), "1 1:0.5 3:1\n0 2:1 3:-2\n1 1:2\n0 2:0.25\n1 3:3\n0 1:-1\n");
        Dataset data = LibSvm.read(file, 3);
        DescentSettings settings = new DescentSettings(8, 2, 1, 1);
        UpdateRecording recording = new UpdateRecording(8);
        float[] w = LrReference.train(data, settings, 1, (clock, loss) -> {}, recording);
        float[] updates = recorded(recording);
        assertEquals(8 * w.length, updates.length);
        float[] sum = new float[w.length];
        for (int i = 0; i < updates.length; i++) {
            sum[i % w.length] += updates[i];
        }
        assertArrayEquals(w, sum);
    }
}
