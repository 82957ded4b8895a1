package io.sluice.cli.run;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/** Images in the format of Fashion-MNIST: the label of one is the brightest of its first ten pixels. */
final class MadeUpImages {
    private static final int PIXELS = 16;

    private MadeUpImages() {}

    /** Writes a part of the data set: {@code train} or {@code t10k}. */
    static void write(Path folder, String part, int count) throws IOException {
        Random random = new Random(part.hashCode());
        ByteBuffer labels = ByteBuffer.allocate(8 + count).putInt(0x0801).putInt(count);
        ByteBuffer images = ByteBuffer.allocate(16 + PIXELS * count)
                .putInt(0x0803)
                .putInt(count)
                .putInt(4)
                .putInt(PIXELS / 4);
        for (int i = 0; i < count; i++) {
            int label = random.nextInt(10);
            labels.put((byte) label);
            for (int pixel = 0; pixel < PIXELS; pixel++) {
                images.put((byte) (pixel == label ? 250 : random.nextInt(100)));
            }
        }
        compress(folder.resolve(part + "-labels-idx1-ubyte.gz"), labels);
        compress(folder.resolve(part + "-images-idx3-ubyte.gz"), images);
    }

    private static void compress(Path file, ByteBuffer bytes) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(bytes.array());
        }
    }
}
