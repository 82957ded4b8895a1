package io.sluice.messaging.flow;

/** Streams into one socket, and how many of them count. */
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

    /** What each stream that counts has of a window. */
    int of(int whole) {
        return whole / Math.max(1, counting);
    }
}
