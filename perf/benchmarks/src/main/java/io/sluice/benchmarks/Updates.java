package io.sluice.benchmarks;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Updates of a training run: recorded updates from a file, or random updates with a heavy tail. */
final class Updates {
    /** The name of the random updates. */
    static final String SYNTHETIC = "synthetic";

    private static final long SEED = 1;
    private static final int ROW = 64;
    private static final double ROW_DEVIATION = 1.0;
    private static final double DEVIATION = 1.2;

    private final float[] elements;

    private Updates(float[] elements) {
        this.elements = elements;
    }

    /**
     * Reads or draws a number of elements.
     *
     * @param source {@link #SYNTHETIC}, or a file of raw little-endian f32, which is repeated if it is too short
     * @param count number of elements
     */
    static Updates of(String source, int count) throws IOException {
        return new Updates(source.equals(SYNTHETIC) ? synthetic(count) : recorded(Path.of(source), count));
    }

    /**
     * Magnitudes are log-normal. Each run of 64 elements has a scale of its own, also log-normal: the gradients of one
     * unit of a layer are similar, and those of another may be ten times as large.
     */
    private static float[] synthetic(int count) {
        SplittableRandom random = new SplittableRandom(SEED);
        float[] elements = new float[count];
        double scale = 1;
        for (int i = 0; i < count; i++) {
            if (i % ROW == 0) {
                scale = Math.exp(ROW_DEVIATION * random.nextGaussian());
            }
            double magnitude = scale * Math.exp(DEVIATION * random.nextGaussian());
            elements[i] = (float) (random.nextBoolean() ? magnitude : -magnitude);
        }
        return elements;
    }

    private static float[] recorded(Path file, int count) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length < Float.BYTES || bytes.length % Float.BYTES != 0) {
            throw new IOException(file + " has " + bytes.length + " bytes, expected a multiple of 4: raw f32");
        }
        float[] recorded = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).asFloatBuffer().get(recorded);
        float[] elements = new float[count];
        for (int i = 0; i < count; i++) {
            elements[i] = recorded[i % recorded.length];
        }
        return elements;
    }

    /** The magnitude that this share of the elements exceeds. */
    float threshold(double kept) {
        if (!(kept >= 0 && kept <= 1)) {
            throw new IllegalArgumentException("kept is " + kept + ", expected a share from 0 to 1");
        }
        float[] magnitudes = new float[elements.length];
        for (int i = 0; i < magnitudes.length; i++) {
            magnitudes[i] = Math.abs(elements[i]);
        }
        Arrays.sort(magnitudes);
        int passing = (int) Math.round(kept * magnitudes.length);
        return passing == magnitudes.length ? 0 : magnitudes[magnitudes.length - 1 - passing];
    }

    /** The elements of one of the slices. */
    float[] slice(int index, int length) {
        return Arrays.copyOfRange(elements, index * length, (index + 1) * length);
    }
}
