package io.sluice.perf.updates;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordedUpdatesTest {
    @TempDir
    private Path folder;

    private Path file(float... values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return Files.write(folder.resolve("updates.f32"), bytes.array());
    }

    @Test
    void lieOneClockBehindTheOther() throws IOException {
        RecordedUpdates updates = RecordedUpdates.of(file(1, 2, 3, 4, 5, 6), 2);
        assertEquals(3, updates.maxElements());
        assertArrayEquals(new float[] {1, 2, 3}, updates.update(0, 0, 3, 0.5));
        assertArrayEquals(new float[] {5, 6}, updates.update(1, 1, 2, 0.5));
        assertEquals("updates.f32", updates.label());
    }

    @Test
    void keepTheWantedShareInTheLongRun() throws IOException {
        float[] values = new float[2 * 6_400];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) Math.sin(i * 1.7) * (i % 97);
        }
        TableShape shape = TableShape.of(RecordedUpdates.of(file(values), 2), 6_400, 0.1, 1);
        float[][] updates = {shape.update(0, 0), shape.update(1, 0)};
        assertEquals(0.1, SteadyThreshold.share(updates, shape.threshold()), 0.001);
    }

    @Test
    void ofAnotherLengthAreRefused() throws IOException {
        Path file = file(1, 2, 3, 4, 5);
        String message = assertThrows(IOException.class, () -> RecordedUpdates.of(file, 2))
                .getMessage();
        assertTrue(message.contains("20 bytes, expected 2 updates"), message);
        Path empty = Files.write(folder.resolve("empty"), new byte[0]);
        assertThrows(IOException.class, () -> RecordedUpdates.of(empty, 1));
        assertThrows(IOException.class, () -> RecordedUpdates.of(folder, 1));
    }

    @Test
    void withANumberThatIsNoneAreRefused() throws IOException {
        Path file = file(1, 2, 3, Float.NaN);
        String message = assertThrows(IOException.class, () -> RecordedUpdates.of(file, 2))
                .getMessage();
        assertTrue(message.contains("NaN as element 1 of clock 1"), message);
    }

    @Test
    void thatAreNotThereAreRefused() {
        Path missing = folder.resolve("missing");
        assertThrows(NoSuchFileException.class, () -> RecordedUpdates.of(missing, 1));
    }
}
