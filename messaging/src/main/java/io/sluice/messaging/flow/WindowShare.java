package io.sluice.messaging.flow;

/** The streams into one socket, and how many of them count as sharing its window. */
final class WindowShare {
    private int open;
    private int counting;

    void open() {
        open++;
    }

    void count() {
        counting++;
    }

    void close(boolean counted) {
        open--;
        counting -= counted ? 1 : 0;
    }

    boolean isUnused() {
        return open == 0;
    }

    /** The part of a window that each counting stream has. */
    int of(int whole) {
        return whole / Math.max(1, counting);
    }
}
