package io.sluice.perf.race;

/** What passes have made. Mutable; used by one thread. */
public final class Tally {
    private long bytes;
    private long values;
    private int formats;

    /**
     * Adds what one pass, or a part of one, has made.
     *
     * @param bytes that would go on the wire
     * @param values that are in them
     */
    public void add(long bytes, long values) {
        this.bytes += bytes;
        this.values += values;
    }

    /**
     * Notes the format of a block.
     *
     * @param code of the format, 0 to 31
     */
    public void format(int code) {
        formats |= 1 << code;
    }

    /** Bytes made so far. */
    public long bytes() {
        return bytes;
    }

    /** Values made so far. */
    public long values() {
        return values;
    }

    /** A bit for each format that occurred. */
    public int formats() {
        return formats;
    }

    /** Adds another thread's tally and clears it. */
    void take(Tally other) {
        add(other.bytes, other.values);
        formats |= other.formats;
        other.clear();
    }

    void clear() {
        bytes = 0;
        values = 0;
        formats = 0;
    }
}
