package io.sluice.samples.data;

import java.util.zip.CRC32C;

/** Ratings of items by users. Immutable. */
public final class Ratings {
    private final int[] users;
    private final int[] items;
    private final float[] values;

    /** Creates ratings from columns of equal length, which belong to them from then on. */
    Ratings(int[] users, int[] items, float[] values) {
        this.users = users;
        this.items = items;
        this.values = values;
    }

    /** Number of ratings. */
    public int size() {
        return values.length;
    }

    /**
     * The user of a rating.
     *
     * @param rating its number, from 0
     * @return the user's number, from 0
     */
    public int user(int rating) {
        return users[rating];
    }

    /**
     * The item of a rating.
     *
     * @param rating its number, from 0
     * @return the item's number, from 0
     */
    public int item(int rating) {
        return items[rating];
    }

    /**
     * The value of a rating.
     *
     * @param rating its number, from 0
     * @return finite
     */
    public float value(int rating) {
        return values[rating];
    }

    /** The mean of all values; 0 if there are none. */
    public float mean() {
        double sum = 0;
        for (float value : values) {
            sum += value;
        }
        return values.length == 0 ? 0 : (float) (sum / values.length);
    }

    /** Adds all ratings to a checksum. */
    void addTo(CRC32C sum) {
        for (int rating = 0; rating < values.length; rating++) {
            add(sum, users[rating]);
            add(sum, items[rating]);
            add(sum, Float.floatToRawIntBits(values[rating]));
        }
    }

    private static void add(CRC32C sum, int bits) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            sum.update(bits >>> shift);
        }
    }
}
