package io.sluice.messaging.udp;

import io.aeron.exceptions.AeronEvent;
import io.aeron.exceptions.AeronException;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import org.agrona.ErrorHandler;

/** Opens and closes descriptors of Aeron's sockets. For one thread at a time. */
final class BatchSockets {
    private final SocketCalls calls;
    private final boolean trains;
    private boolean reportedDescriptor;
    private boolean reportedTrains;

    /**
     * Creates the sockets of a driver.
     *
     * @param trains whether the kernel supports trains of datagrams
     */
    BatchSockets(SocketCalls calls, boolean trains) {
        this.calls = calls;
        this.trains = trains;
    }

    /** Whether the kernel may take or deliver a train of datagrams in one call (UDP_SEGMENT, UDP_GRO). */
    boolean trains() {
        return trains;
    }

    /**
     * Opens a descriptor of a channel, to be closed with {@link #close}.
     *
     * @return {@link Descriptors#NONE} if it is not found, which is reported once
     */
    synchronized int descriptor(DatagramChannel channel, ErrorHandler errorHandler) {
        String reason = "";
        try {
            int descriptor = Descriptors.duplicateOf(channel, calls);
            if (descriptor != Descriptors.NONE) {
                return descriptor;
            }
        } catch (IOException e) {
            reason = ": " + e.getMessage();
        }
        if (!reportedDescriptor) {
            reportedDescriptor = true;
            warn(errorHandler, "batching is disabled for a socket: its descriptor was not found" + reason);
        }
        return Descriptors.NONE;
    }

    /** Asks the kernel to deliver received datagrams in trains; the first refusal is reported. */
    synchronized void receiveTrains(int descriptor, ErrorHandler errorHandler) {
        int result = calls.setOption(descriptor, MessageVector.SOL_UDP, MessageVector.UDP_GRO, 1);
        if (result != 0 && !reportedTrains) {
            reportedTrains = true;
            warn(errorHandler, "a socket receives no trains: the kernel refuses UDP_GRO (error " + -result + ")");
        }
    }

    private static void warn(ErrorHandler errorHandler, String message) {
        errorHandler.onError(new AeronEvent(message, AeronException.Category.WARN));
    }

    /** Closes a descriptor; returns {@link Descriptors#NONE}. */
    synchronized int close(int descriptor) {
        if (descriptor != Descriptors.NONE) {
            calls.close(descriptor);
        }
        return Descriptors.NONE;
    }
}
