package io.sluice.perf.updates;

/** The first update of another source, again in each clock. */
record FirstUpdate(UpdateSource source) implements UpdateSource {
    @Override
    public int clocks() {
        return 1;
    }

    @Override
    public long maxElements() {
        return source.maxElements();
    }

    @Override
    public float[] update(int clock, long from, int elements, double kept) {
        return source.update(0, from, elements, kept);
    }

    @Override
    public float threshold(long elements, double kept) {
        return source.threshold(elements, kept);
    }

    @Override
    public String label() {
        return source.label();
    }
}
