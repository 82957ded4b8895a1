package io.sluice.messaging.udp;

import io.aeron.driver.Configuration;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.function.Supplier;

/**
 * The UDP batching mode that a driver uses, depending on the machine.
 *
 * @param mode chosen mode, not {@link UdpBatch#AUTO}
 * @param reason why the machine supports no better mode; null if it supports all modes, or the user chose
 */
record BatchMode(UdpBatch mode, String reason) {
    private static final int ANY_SEGMENT = 1_000;

    private static final List<String> SUPPLIERS = List.of(
            Configuration.SEND_CHANNEL_ENDPOINT_SUPPLIER_PROP_NAME,
            Configuration.RECEIVE_CHANNEL_ENDPOINT_SUPPLIER_PROP_NAME);

    /**
     * Chooses a mode. It tests the kernel with a socket that sends nothing.
     *
     * @param wanted mode that the user has chosen
     * @param calls opens the system calls, or throws
     * @return the mode
     * @throws MessagingException if the machine does not support the wanted mode
     */
    static BatchMode choose(UdpBatch wanted, Supplier<SocketCalls> calls) {
        if (wanted == UdpBatch.OFF) {
            return new BatchMode(UdpBatch.OFF, null);
        }
        BatchMode best = best(calls);
        if (wanted == UdpBatch.AUTO) {
            return best;
        }
        if (wanted.compareTo(best.mode) < 0) {
            throw new MessagingException("UDP batch (sluice.udp.batch) is '" + wanted.text()
                    + "', which this machine does not support: " + best.reason + "; expected "
                    + (best.mode == UdpBatch.MMSG ? "mmsg, " : "") + "off or auto");
        }
        return new BatchMode(wanted, null);
    }

    private static BatchMode best(Supplier<SocketCalls> calls) {
        String reason = unsuitable();
        if (reason != null) {
            return new BatchMode(UdpBatch.OFF, reason);
        }
        try (DatagramChannel channel = DatagramChannel.open()) {
            return probe(channel, calls.get());
        } catch (IOException | RuntimeException | LinkageError e) {
            return new BatchMode(UdpBatch.OFF, "a socket cannot be opened to test system calls: " + e);
        }
    }

    /** The reason why this JVM cannot make the calls; null if it can. */
    private static String unsuitable() {
        String system = System.getProperty("os.name");
        String model = System.getProperty("sun.arch.data.model");
        if (!system.equals("Linux")) {
            return "batches need Linux, and this is " + system;
        }
        if (!"64".equals(model)) {
            return "batches need a 64-bit JVM";
        }
        for (String supplier : SUPPLIERS) {
            if (System.getProperty(supplier) != null) {
                return "Aeron uses other endpoints, set with -D" + supplier;
            }
        }
        Module module = BatchMode.class.getModule();
        return module.isNativeAccessEnabled() ? null : noAccess(module);
    }

    static String noAccess(Module module) {
        return "the JVM was started without --enable-native-access="
                + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    static BatchMode probe(DatagramChannel channel, SocketCalls calls) throws IOException {
        int descriptor = Descriptors.duplicateOf(channel, calls);
        if (descriptor == Descriptors.NONE) {
            return new BatchMode(UdpBatch.OFF, "the file descriptor of a socket is not found");
        }
        try {
            MessageVector vector = new MessageVector(1);
            vector.expect(0);
            int sent = calls.send(descriptor, vector.address(), 0);
            if (sent != 0) {
                return new BatchMode(UdpBatch.OFF, refusal("the system call sendmmsg", sent));
            }
            int received;
            do {
                received = calls.receive(descriptor, vector.address(), 1);
            } while (received == -SocketCalls.EINTR);
            if (received != -SocketCalls.EAGAIN) {
                return new BatchMode(UdpBatch.OFF, refusal("the system call recvmmsg", received));
            }
            int segment = calls.setOption(descriptor, MessageVector.SOL_UDP, MessageVector.UDP_SEGMENT, ANY_SEGMENT);
            if (segment != 0) {
                return new BatchMode(UdpBatch.MMSG, refusal("the socket option UDP_SEGMENT", segment));
            }
            int trains = calls.setOption(descriptor, MessageVector.SOL_UDP, MessageVector.UDP_GRO, 1);
            return trains == 0
                    ? new BatchMode(UdpBatch.GSO, null)
                    : new BatchMode(UdpBatch.MMSG, refusal("the socket option UDP_GRO", trains));
        } finally {
            calls.close(descriptor);
        }
    }

    private static String refusal(String what, int result) {
        return "the kernel refuses " + what + " (" + (result < 0 ? "error " + -result : "result " + result) + ")";
    }
}
