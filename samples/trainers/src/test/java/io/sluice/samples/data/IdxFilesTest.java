package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IdxFilesTest {
    /** Two labels. */
    private static final byte[] LABELS = {0, 0, 8, 1, 0, 0, 0, 2, 7, 0};

    /** Two images of one row and three columns. */
    private static final byte[] IMAGES = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, (byte) 255, 51, 1, 2, 3};

    @TempDir
    private Path folder;

    private void write(byte[] labels, byte[] images) throws IOException {
        Files.write(folder.resolve("train-labels-idx1-ubyte"), labels);
        try (OutputStream out =
                new GZIPOutputStream(Files.newOutputStream(folder.resolve("train-images-idx3-ubyte.gz")))) {
            out.write(images);
        }
    }

    @Test
    void areReadPlainOrZipped() throws IOException {
        write(LABELS, IMAGES);
        Classification examples = IdxFiles.read(folder);
        assertEquals(2, examples.size());
        assertEquals(3, examples.width());
        assertArrayEquals(new byte[] {7, 0}, examples.labels());
        assertArrayEquals(new float[] {0, 1, 0.2f, 1 / 255f, 2 / 255f, 3 / 255f}, examples.inputs());
    }

    @Test
    void thatAreNotThereAreNamed() {
        String message = assertThrows(NoSuchFileException.class, () -> IdxFiles.read(folder))
                .getMessage();
        assertTrue(message.contains("train-labels-idx1-ubyte"), message);
    }

    @Test
    void thatAreSomethingElseAreRefused() throws IOException {
        refuses(changed(LABELS, 3, 3), IMAGES, "magic number is 2051, expected 2049");
        refuses(LABELS, changed(IMAGES, 7, 3), "number of images is 3, expected 2");
        refuses(changed(LABELS, 8, 10), IMAGES, "label 0 is 10, expected 0 to 9");
        refuses(changed(LABELS, 4, 0x7F), IMAGES, "expected 1 to 1048576");
        refuses(LABELS, changed(IMAGES, 15, 4), "number of bytes is 6, expected 8");
        refuses(LABELS, changed(IMAGES, 14, 0x7F), "expected 1 to 4096");
        byte[] many = Arrays.copyOf(new byte[] {0, 0, 8, 1, 0, 8}, 8 + (1 << 19)); // 2^19 labels
        byte[] large = {0, 0, 8, 3, 0, 8, 0, 0, 0, 0, 0, 64, 0, 0, 0, 64}; // as many images of 2^12 pixels: 2^31
        refuses(many, large, "524288 images of 4096 pixels, expected at most 268435456");
        refuses(LABELS, new byte[] {0, 0}, "ends early");
    }

    private void refuses(byte[] labels, byte[] images, String expected) throws IOException {
        write(labels, images);
        String message =
                assertThrows(IOException.class, () -> IdxFiles.read(folder)).getMessage();
        assertTrue(message.contains(expected), message);
    }

    private static byte[] changed(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }
}
