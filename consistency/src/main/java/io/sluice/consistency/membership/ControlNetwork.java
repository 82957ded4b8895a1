package io.sluice.consistency.membership;

import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import org.agrona.DirectBuffer;

/**
 * The environment of the control plane: how coordinators and nodes reach each other, and where they report. Production
 * uses Aeron ({@link #over}); {@code sluice perf control-simulation} runs the same coordinators and nodes on a
 * simulated network (decision 8).
 *
 * <p>The threads of one process share it. Each port and each line belongs to one thread.
 */
public interface ControlNetwork {
    /** The receiving end of this process's control stream. */
    interface Port extends AutoCloseable {
        /**
         * Hands waiting frames to the handler with which the port was opened.
         *
         * @param limit maximum number of frames to take
         * @return number of frames handed to the handler
         */
        int poll(int limit);

        /**
         * Counts a frame that the handler does not accept.
         *
         * @param rejection the reason
         */
        void reject(Rejection rejection);

        /** Number of rejected frames, for any reason. Any thread may call this. */
        long rejected();

        /** The address on which the port listens, with its real port number. */
        Endpoint endpoint();

        @Override
        void close();
    }

    /** The sending end of a control stream to one port. */
    interface Line extends AutoCloseable {
        /**
         * Sends a frame.
         *
         * @param buffer buffer holding the frame
         * @param offset offset of its first byte
         * @param length length in bytes
         * @return false if the line's log is full, has no receiver yet, or is not open: offer the frame again
         */
        boolean offer(DirectBuffer buffer, int offset, int length);

        /** Whether the line is open; one that was {@linkplain ControlNetwork#request requested} opens after a while. */
        default boolean isOpen() {
            return true;
        }

        /** Whether the line never opens, because the media driver has refused it. */
        default boolean isRefused() {
            return false;
        }

        @Override
        void close();
    }

    /**
     * Opens a port for control frames.
     *
     * @param label     name of the port in messages and errors
     * @param local     address to listen on; port 0 takes a free one
     * @param validator checks each frame before the handler gets it
     * @param handler   receives valid frames, in the thread that polls
     * @return the port, bound
     * @throws MessagingException if the address is in use or not available
     */
    Port open(String label, Endpoint local, FrameValidator validator, FrameHandler handler);

    /**
     * Opens a line to a port. The receiver need not exist yet.
     *
     * @param label name of the line in messages and errors
     * @param to    address of the port
     * @return the line
     * @throws MessagingException if no socket can reach such an address
     */
    Line connect(String label, Endpoint to);

    /**
     * Requests a line without waiting for the media driver, for a thread that must not wait. A refusal is reported, and
     * {@link Line#isRefused()} returns true.
     *
     * @param label name of the line in messages and errors
     * @param to    address of the port
     * @return the line, which opens later
     */
    Line request(String label, Endpoint to);

    /**
     * Whether this host's media driver is silent. No frame arrives then, so the silence of other nodes proves nothing.
     */
    boolean isDriverSilent();

    /** Whether the network is closed, by its owner or because the media driver has ended. */
    boolean isClosed();

    /** The failure that closed the network; null if its owner closed it or it is open. */
    MessagingException failure();

    /** Records an error for other processes to read. */
    void record(Throwable error);

    /** Records an error and passes it to the error handler of this process. */
    void onError(Throwable error);

    /**
     * Reports an event that does not end anything.
     *
     * @param sentence sentence that names the subject
     */
    default void report(String sentence) {
        onError(new MessagingException(sentence));
    }

    /** The load of the host, which extends the silence that other nodes are allowed. */
    default HostLoad load() {
        return HostLoad.QUIET;
    }

    /** Works in the calling thread if this network has no thread of its own; returns the amount of work done. */
    int invoke();

    /**
     * The network over Aeron.
     *
     * @param transport this process's connection to the media driver; not closed here
     * @return its control network
     */
    static ControlNetwork over(Transport transport) {
        return new AeronControlNetwork(transport);
    }
}
