package io.sluice.samples.data;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** The images and labels of the MNIST family, in their IDX files, gzipped or not. */
public final class IdxFiles {
    /** Name of the file with the labels for training. */
    public static final String NAME = "train-labels-idx1-ubyte.gz";

    private static final String IMAGES = "-images-idx3-ubyte";
    private static final String LABELS = "-labels-idx1-ubyte";
    private static final int IMAGES_MAGIC = 0x0803;
    private static final int LABELS_MAGIC = 0x0801;
    private static final int CLASSES = 10;
    private static final float WHITE = 255;

    /**
     * Maximum number of examples of a file, above that of the MNIST family, because a damaged header may state any
     * number.
     */
    private static final int MOST_EXAMPLES = 1 << 20;

    private static final int MOST_PIXELS = 1 << 12;

    private static final int MOST_BYTES = 1 << 28;

    private IdxFiles() {}

    /** The images of two files. */
    private record Images(int pixels, Examples examples) {}

    /**
     * Reads the two files for training and the two of the held-out images.
     *
     * @param folder folder of the files
     * @return the images, scaled to 0 to 1, and their labels
     * @throws IOException if a file is missing or does not have the content that its name states
     */
    public static Dataset read(Path folder) throws IOException {
        Images train = read(folder, "train");
        Images test = read(folder, "t10k");
        expect("t10k" + IMAGES, "number of pixels", test.pixels(), train.pixels());
        return new Dataset("fashion-mnist", train.pixels(), train.examples(), test.examples());
    }

    private static Images read(Path folder, String part) throws IOException {
        String ofLabels = part + LABELS;
        String ofImages = part + IMAGES;
        byte[] labels;
        try (DataInputStream in = open(folder, ofLabels)) {
            expect(ofLabels, "magic number", in.readInt(), LABELS_MAGIC);
            labels = body(ofLabels, in, size(ofLabels, in.readInt(), MOST_EXAMPLES));
        } catch (EOFException e) {
            throw new IOException(folder.resolve(ofLabels) + " ends early", e);
        }
        try (DataInputStream in = open(folder, ofImages)) {
            expect(ofImages, "magic number", in.readInt(), IMAGES_MAGIC);
            expect(ofImages, "number of images", in.readInt(), labels.length);
            int width = size(ofImages, pixels(in.readInt(), in.readInt()), MOST_PIXELS);
            byte[] pixels = body(ofImages, in, total(ofImages, labels.length, width));
            return new Images(width, examples(pixels, checked(ofLabels, labels), width));
        } catch (EOFException e) {
            throw new IOException(folder.resolve(ofImages) + " ends early", e);
        }
    }

    private static int pixels(int rows, int columns) {
        return Math.clamp((long) rows * columns, -1, Integer.MAX_VALUE);
    }

    private static DataInputStream open(Path folder, String name) throws IOException {
        Path plain = folder.resolve(name);
        Path zipped = folder.resolve(name + ".gz");
        if (Files.exists(plain)) {
            return new DataInputStream(new BufferedInputStream(Files.newInputStream(plain)));
        }
        if (!Files.exists(zipped)) {
            throw new NoSuchFileException(plain + " (nor " + name + ".gz)");
        }
        InputStream bytes = new GZIPInputStream(Files.newInputStream(zipped));
        return new DataInputStream(new BufferedInputStream(bytes));
    }

    private static byte[] body(String file, DataInputStream in, int length) throws IOException {
        byte[] body = in.readNBytes(length);
        expect(file, "number of bytes", body.length, length);
        return body;
    }

    private static int size(String file, int size, int most) throws IOException {
        if (size < 1 || size > most) {
            throw new IOException(file + " has a dimension of " + size + ", expected 1 to " + most);
        }
        return size;
    }

    private static int total(String file, int images, int width) throws IOException {
        if ((long) images * width > MOST_BYTES) {
            throw new IOException(file + " is for " + images + " images of " + width + " pixels, expected at most "
                    + MOST_BYTES + " pixels in all");
        }
        return images * width;
    }

    private static void expect(String file, String what, int found, int expected) throws IOException {
        if (found != expected) {
            throw new IOException(file + ": " + what + " is " + found + ", expected " + expected);
        }
    }

    private static byte[] checked(String file, byte[] labels) throws IOException {
        for (int i = 0; i < labels.length; i++) {
            if (labels[i] < 0 || labels[i] >= CLASSES) {
                throw new IOException(file + ": label " + i + " is " + labels[i] + ", expected 0 to 9");
            }
        }
        return labels;
    }

    private static Examples examples(byte[] pixels, byte[] labels, int width) {
        int lit = 0;
        for (byte pixel : pixels) {
            lit += pixel == 0 ? 0 : 1;
        }
        Examples.Builder images = new Examples.Builder(lit);
        for (int i = 0; i < pixels.length; i++) {
            if (pixels[i] != 0) {
                images.add(i % width, (pixels[i] & 0xFF) / WHITE);
            }
            if (i % width == width - 1) {
                images.endRow(labels[i / width]);
            }
        }
        return images.build();
    }
}
