package io.sluice.messaging.udp;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds the descriptor of a channel, which Java hides, with public methods only. It gives the channel's socket a send
 * buffer of a length that no other socket has, looks for the descriptor with that buffer, and confirms it with a second
 * length. It does not change other sockets.
 */
final class Descriptors {
    /** Stands for no descriptor. */
    static final int NONE = -1;

    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;

    /** Factor by which Linux multiplies the requested length. */
    private static final int DOUBLED = 2;

    private static final int LEAST_MARK = 16 << 10;
    private static final int MOST_MARK = 64 << 10;

    /** The kernel assigns the lowest free number, so the search ends after this many free numbers. */
    private static final int MOST_FREE = 1_024;

    private static final int EBADF = 9;

    private Descriptors() {}

    /**
     * Duplicates the descriptor of a channel. The caller must close the duplicate, which refers to this socket even
     * after the channel is closed.
     *
     * @param channel open, and not used by other threads yet
     * @return a descriptor, or {@link #NONE} if the channel's descriptor is not found
     * @throws IOException if the channel refuses its options
     */
    static int duplicateOf(DatagramChannel channel, SocketCalls calls) throws IOException {
        int buffer = channel.getOption(StandardSocketOptions.SO_SNDBUF);
        try {
            int marked = mark(channel);
            int free = 0;
            for (int descriptor = 0; free < MOST_FREE; descriptor++) {
                int found = calls.option(descriptor, SOL_SOCKET, SO_SNDBUF);
                free = found == -EBADF ? free + 1 : 0;
                if (found == marked) {
                    int duplicate = calls.duplicate(descriptor);
                    marked = mark(channel);
                    if (duplicate >= 0 && calls.option(duplicate, SOL_SOCKET, SO_SNDBUF) == marked) {
                        return duplicate;
                    }
                    if (duplicate >= 0) {
                        calls.close(duplicate);
                    }
                }
            }
            return NONE;
        } finally {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, buffer);
        }
    }

    private static int mark(DatagramChannel channel) throws IOException {
        int length = ThreadLocalRandom.current().nextInt(LEAST_MARK, MOST_MARK);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, length);
        return DOUBLED * length;
    }
}
