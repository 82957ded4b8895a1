package io.sluice.filter;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Updates and residuals of all densities, scales and kinds; finite, as filters require. */
final class Inputs {
    static final float[] AWKWARD = {
        0.0f,
        -0.0f,
        1.0f,
        -1.5f,
        Float.MIN_VALUE,
        -1e-40f,
        Float.MIN_NORMAL,
        65504,
        -70000,
        1e-7f,
        Float.MAX_VALUE,
        -3e38f
    };

    private Inputs() {}

    static float threshold(SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> 0;
            case 1 -> (float) Math.pow(10, random.nextInt(-40, 10));
            default -> (float) (random.nextDouble() * 4);
        };
    }

    static void fill(SplittableRandom random, float[] update, MemorySegment residual) {
        double scale = random.nextInt(4) == 0 ? Math.pow(10, random.nextInt(-9, 9)) : 1;
        double present = random.nextInt(3) == 0 ? 1 : Math.pow(random.nextDouble(), 3);
        boolean clustered = random.nextInt(4) == 0;
        int row = random.nextInt(4) == 0 ? random.nextInt(8, 200) : 1;
        boolean here = false;
        for (int i = 0; i < update.length; i++) {
            here = i % row == 0 ? random.nextDouble() < present && !(clustered && i / 64 % 3 == 0) : here;
            update[i] = here ? (float) (random.nextGaussian() * scale) : random.nextBoolean() ? 0.0f : -0.0f;
            float left = random.nextInt(4) == 0 ? (float) (random.nextGaussian() * scale) : 0.0f;
            residual.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i, here ? left : 0.0f);
        }
        if (random.nextInt(5) == 0) {
            update[random.nextInt(update.length)] = AWKWARD[random.nextInt(AWKWARD.length)];
        }
    }
}
