package io.sluice.samples.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Images of ten classes.
 *
 * @param name  name of the data set
 * @param train images to learn from
 * @param test  images held out
 */
public record ImageSet(String name, Classification train, Classification test) {
    private static final int PLANTED = 10_240;
    private static final int PLANTED_TEST = 2_048;

    /**
     * Reads the four files of Fashion-MNIST, or of another set of the same format.
     *
     * @param folder folder of the files
     * @throws IOException if a file is missing or is not what its name states
     */
    public static ImageSet read(Path folder) throws IOException {
        return new ImageSet("fashion-mnist", IdxFiles.read(folder), IdxFiles.read(folder, "t10k"));
    }

    /** Made-up images of the same shape: normal clouds around a random centre for each class. */
    public static ImageSet planted() {
        Classification all = Classification.madeUp(PLANTED);
        int train = PLANTED - PLANTED_TEST;
        return new ImageSet("planted", all.part(0, train), all.part(train, PLANTED));
    }

    /** A number that differs if the training images do. */
    public String fingerprint() {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = ByteBuffer.allocate(train.width() * Float.BYTES);
        for (int at = 0; at < train.inputs().length; at += train.width()) {
            bytes.clear().asFloatBuffer().put(train.inputs(), at, train.width());
            crc.update(bytes);
        }
        crc.update(train.labels());
        return "%d images, crc %08x".formatted(train.size(), crc.getValue());
    }
}
