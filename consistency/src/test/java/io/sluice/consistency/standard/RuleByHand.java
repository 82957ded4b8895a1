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
    private final boolean weighted;

    /** Two sums of squares or moments, and the sum of all pushes. */
    private float a;

    private float b;
    private float all;

    /** Creates the state of a parameter under a rule whose arguments are all given. */
    public RuleByHand(String text) {
        String[] parts = text.split(";")[0].split("[:,]");
        outer = text.contains(";outer");
        weighted = text.contains(";weighted");
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
        return add(sum, round, new int[pushes.length], pushes);
    }

    /** Adds as {@link #add(float, long, Float...)}, with the weight of each worker, which only some rules use. */
    public float add(float sum, long round, int[] weights, Float... pushes) {
        return weighted ? addWeighted(sum, weights, pushes) : addPlain(sum, round, pushes);
    }

    private float addWeighted(float sum, int[] weights, Float... pushes) {
        float pushed = 0;
        long weight = 0;
        for (int worker = 0; worker < pushes.length; worker++) {
            if (pushes[worker] != null) {
                pushed += weights[worker] * pushes[worker];
                weight += weights[worker];
            }
        }
        return 0 == weight ? sum : step(sum, 0, pushed / weight);
    }

    private float addPlain(float sum, long round, Float... pushes) {
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
        return step(sum, round, pushed);
    }

    /** Takes the step of a round, for the rules that do not act on each push. */
    private float step(float sum, long round, float pushed) {
        switch (word) {
            case "mean" -> {
                return weighted ? sum + pushed : sum;
            }
            case "momentum" -> {
                a = first * a + pushed;
                return sum + rate * a;
            }
            case "nesterov" -> {
                a = first * a + pushed;
                return sum + rate * (pushed + first * a);
            }
            case "adam" -> {
                a = first * a + (1 - first) * pushed;
                b = second * b + (1 - second) * pushed * pushed;
                float mean = a / (float) (1 - StrictMath.pow(first, round));
                float square = b / (float) (1 - StrictMath.pow(second, round));
                return sum + rate * mean / ((float) Math.sqrt(square) + 1e-8f);
            }
            default -> {
                return sum; // done with each push
            }
        }
    }
}
