package io.sluice.consistency.standard;

import java.util.Arrays;
import java.util.Objects;

/**
 * The rules once more, for one parameter and one round after the other, written from the papers' formulas: the state of
 * a parameter, its pushes in the order of workers, and the change that they make.
 */
public final class RuleByHand {
    private final String word;
    private final float rate;
    private final float first;
    private final float second;
    private final boolean outer;

    /** Two sums of squares or moments, and the sum of all pushes. */
    private float a;

    private float b;
    private float all;

    /** Makes the state of a parameter under a rule whose arguments are all given. */
    public RuleByHand(String text) {
        String[] parts = text.replace(";outer", "").split("[:,]");
        outer = text.endsWith(";outer");
        word = parts[0];
        rate = parts.length > 1 ? Float.parseFloat(parts[1]) : 0;
        first = parts.length > 2 ? Float.parseFloat(parts[2]) : 0;
        second = parts.length > 3 ? Float.parseFloat(parts[3]) : 0;
    }

    /**
     * Adds the changes of a round to what a server holds.
     *
     * @param sum    what the server holds of the parameter
     * @param round  from 1
     * @param pushes of each worker; null where a worker has sent nothing
     * @return the sum afterwards
     */
    public float add(float sum, long round, Float... pushes) {
        float known = all;
        float pushed = 0;
        for (Float push : pushes) {
            if (push == null) {
                continue;
            }
            pushed += push;
            switch (word) {
                case "mean" -> sum += push / pushes.length;
                case "adagrad" -> {
                    a += push * push;
                    sum += rate / (float) Math.sqrt(1 + a) * push;
                }
                case "adarevision" -> {
                    float missed = all - known;
                    float old = rate / (float) Math.sqrt(1 + b);
                    a = a + push * (push + 2 * missed);
                    b = a > b ? a : b;
                    float now = rate / (float) Math.sqrt(1 + b);
                    sum += now * push - (old - now) * missed;
                    all += push;
                }
                default -> {
                    // the other rules wait for the end of the round
                }
            }
        }
        if (outer) {
            if (Arrays.stream(pushes).allMatch(Objects::isNull)) {
                return sum;
            }
            pushed /= pushes.length;
        }
        switch (word) {
            case "momentum" -> {
                a = first * a + pushed;
                sum += rate * a;
            }
            case "nesterov" -> {
                a = first * a + pushed;
                sum += rate * (pushed + first * a);
            }
            case "adam" -> {
                a = first * a + (1 - first) * pushed;
                b = second * b + (1 - second) * pushed * pushed;
                float mean = a / (float) (1 - StrictMath.pow(first, round));
                float square = b / (float) (1 - StrictMath.pow(second, round));
                sum += rate * mean / ((float) Math.sqrt(square) + 1e-8f);
            }
            default -> {
                // done with each push
            }
        }
        return sum;
    }
}
