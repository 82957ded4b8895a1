package io.sluice.filter;

/** The largest threshold of the slices of the clock that is being filtered. */
final class ClockBound {
    private long clock;
    private float largest;

    void raise(long at, float threshold) {
        if (at != clock) {
            clock = at;
            largest = 0;
        }
        largest = Math.max(largest, threshold);
    }

    float of(long at) {
        return at == clock ? largest : 0;
    }
}
