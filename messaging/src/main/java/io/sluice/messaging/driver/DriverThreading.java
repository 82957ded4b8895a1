package io.sluice.messaging.driver;

/** How a media driver divides its work among threads. */
public enum DriverThreading {
    /** One thread for all work. */
    SHARED(1),

    /** One thread for the network, one for clients. */
    SHARED_NETWORK(2),

    /** One thread each to send, to receive, and for clients. */
    DEDICATED(3);

    private final int threads;

    DriverThreading(int threads) {
        this.threads = threads;
    }

    /** The number of threads of a driver. */
    public int threads() {
        return threads;
    }

    /**
     * The mode with the most threads that leave enough cores to the trainers.
     *
     * @param cores cores of the machine
     */
    public static DriverThreading suiting(int cores) {
        if (cores <= 3) {
            return SHARED;
        }
        return cores <= 7 ? SHARED_NETWORK : DEDICATED;
    }
}
