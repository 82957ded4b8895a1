package io.sluice.messaging.idle;

import java.util.Arrays;

/** The descriptors of the sockets that a thread of the driver waits for. For any thread. */
public final class Sockets {
    private volatile int[] descriptors = {};
    private volatile int hidden;

    /** Creates an empty set of sockets. */
    public Sockets() {}

    /**
     * Adds a socket.
     *
     * @param descriptor descriptor of the socket; negative if it is not known, and threads then poll at short intervals
     */
    public synchronized void add(int descriptor) {
        if (descriptor < 0) {
            hidden++;
        } else {
            int[] more = Arrays.copyOf(descriptors, descriptors.length + 1);
            more[descriptors.length] = descriptor;
            descriptors = more;
        }
    }

    /**
     * Removes a socket, before it is closed.
     *
     * @param descriptor descriptor with which the socket was added; negative if it was not known
     */
    public synchronized void remove(int descriptor) {
        if (descriptor < 0) {
            hidden--;
        } else {
            descriptors = Arrays.stream(descriptors)
                    .filter(other -> other != descriptor)
                    .toArray();
        }
    }

    /** The current descriptors; each change makes a new array. */
    int[] descriptors() {
        return descriptors;
    }

    /** Whether there are sockets without a known descriptor. */
    boolean areHidden() {
        return hidden > 0;
    }
}
