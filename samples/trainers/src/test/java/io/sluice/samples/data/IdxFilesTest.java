package io.sluice.samples.data;

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
        write("train", labels, images);
        write("t10k", LABELS, IMAGES);
    }

    private void write(String part, byte[] labels, byte[] images) throws IOException {
        Files.write(folder.resolve(part + "-labels-idx1-ubyte"), labels);
        Path zipped = folder.resolve(part + "-images-idx3-ubyte.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
            out.write(images);
        }
    }

    @Test
    void areReadPlainOrZipped() throws IOException {
        write(LABELS, IMAGES);
        Dataset data = IdxFiles.read(folder);
        assertEquals(3, data.features());
        assertEquals(8, data.classes());
        for (Examples images : new Examples[] {data.train(), data.test()}) {
            assertEquals(2, images.size());
            assertEquals(7, images.label(0));
            assertEquals(0, images.label(1));
            assertEquals(2, images.end(0)); // the first pixel is black
            assertEquals(1, images.index(0));
            assertEquals(1, images.value(0));
            assertEquals(0.2f, images.value(1));
            assertEquals(5, images.entries());
            assertEquals(3 / 255f, images.value(4));
        }
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
        byte[] wider = Arrays.copyOf(changed(IMAGES, 15, 4), IMAGES.length + 2);
        refuses(LABELS, wider, "t10k-images-idx3-ubyte: number of pixels is 3, expected 4");
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
