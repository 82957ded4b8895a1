package io.sluice.cli.tree;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Rates as {@code LinkRate} reads them: {@code 1gbit}, {@code 2.5gbit}. */
final class Rate {
    private static final String[] UNITS = {"bit", "kbit", "mbit", "gbit", "tbit"};
    private static final double STEP = 1_000;
    private static final int DIGITS = 3;

    private Rate() {}

    /**
     * Formats a rate.
     *
     * @param bytesPerSecond rate, which may be infinite
     */
    static String text(double bytesPerSecond) {
        if (Double.isInfinite(bytesPerSecond)) {
            return "unlimited";
        }
        double bits = bytesPerSecond * Byte.SIZE;
        int unit = 0;
        while (bits >= STEP && unit < UNITS.length - 1) {
            bits /= STEP;
            unit++;
        }
        BigDecimal rounded = BigDecimal.valueOf(bits).setScale(DIGITS, RoundingMode.HALF_UP);
        return rounded.stripTrailingZeros().toPlainString() + UNITS[unit];
    }
}
