package io.sluice.messaging.driver;

/** How a media driver divides its work among threads. */
public enum DriverThreading {
    /** One thread for all. */
    SHARED(1),

    /** One thread for the network, one for clients. */
    SHARED_NETWORK(2),

    /** One thread each to send, to receive, and for clients. */
    DEDICATED(3);

    private final int threads;

    DriverThreading(int threads) {
        this.threads = threads;
    }

    /** How many threads a driver has. */
    public int threads() {
        return threads;
    }

    /**
     * The most threads that can run beside the trainers.
     *
     * @param cores of the machine
     */
    public static DriverThreading suiting(int cores) {
        if (cores <= 3) {
            return SHARED;
        }
        return cores <= 7 ? SHARED_NETWORK : DEDICATED;
    }
}
