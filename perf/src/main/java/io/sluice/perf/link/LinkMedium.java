package io.sluice.perf.link;

import java.util.Locale;

/** Media of a link. */
enum LinkMedium {
    /** Shared memory. */
    IPC(1),
    /** UDP over the loopback interface. */
    UDP(2);

    private final int logs;

    LinkMedium(int logs) {
        this.logs = logs;
    }

    /** Aeron logs that one stream needs on this host. */
    int logs() {
        return logs;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
