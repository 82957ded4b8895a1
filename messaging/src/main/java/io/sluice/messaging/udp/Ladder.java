package io.sluice.messaging.udp;

import io.aeron.driver.Configuration;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.function.Supplier;

/**
 * The rung that a driver uses, depending on the machine.
 *
 * @param rung chosen rung, not {@link UdpBatch#AUTO}
 * @param reason why the machine has no better rung; null if it has all rungs, or the user chose
 */
record Ladder(UdpBatch rung, String reason) {
    private static final int ANY_SEGMENT = 1_000;

    private static final List<String> SUPPLIERS = List.of(
            Configuration.SEND_CHANNEL_ENDPOINT_SUPPLIER_PROP_NAME,
            Configuration.RECEIVE_CHANNEL_ENDPOINT_SUPPLIER_PROP_NAME);

    /**
     * Chooses a rung. The kernel is asked through a socket that sends nothing.
     *
     * @param wanted rung that the user wants
     * @param calls opens the system calls, or throws
     * @return the rung
     * @throws MessagingException if the machine does not support the wanted rung
     */
    static Ladder choose(UdpBatch wanted, Supplier<SocketCalls> calls) {
        if (wanted == UdpBatch.OFF) {
            return new Ladder(UdpBatch.OFF, null);
        }
        Ladder best = best(calls);
        if (wanted == UdpBatch.AUTO) {
            return best;
        }
        if (wanted.compareTo(best.rung) < 0) {
            throw new MessagingException("UDP batch (sluice.udp.batch) is '" + wanted.text()
                    + "', which this machine does not support: " + best.reason + "; expected "
                    + (best.rung == UdpBatch.MMSG ? "mmsg, " : "") + "off or auto");
        }
        return new Ladder(wanted, null);
    }

    private static Ladder best(Supplier<SocketCalls> calls) {
        String reason = unsuitable();
        if (reason != null) {
            return new Ladder(UdpBatch.OFF, reason);
        }
        try (DatagramChannel channel = DatagramChannel.open()) {
            return probe(channel, calls.get());
        } catch (IOException | RuntimeException | LinkageError e) {
            return new Ladder(UdpBatch.OFF, "a socket cannot be opened to test system calls: " + e);
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
        Module module = Ladder.class.getModule();
        return module.isNativeAccessEnabled() ? null : noAccess(module);
    }

    static String noAccess(Module module) {
        return "the JVM was started without --enable-native-access="
                + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    static Ladder probe(DatagramChannel channel, SocketCalls calls) throws IOException {
        int descriptor = Descriptors.duplicateOf(channel, calls);
        if (descriptor == Descriptors.NONE) {
            return new Ladder(UdpBatch.OFF, "the file descriptor of a socket is not found");
        }
        try {
            MessageVector vector = new MessageVector(1);
            vector.expect(0);
            int sent = calls.send(descriptor, vector.address(), 0);
            if (sent != 0) {
                return new Ladder(UdpBatch.OFF, refusal("the system call sendmmsg", sent));
            }
            int received;
            do {
                received = calls.receive(descriptor, vector.address(), 1);
            } while (received == -SocketCalls.EINTR);
            if (received != -SocketCalls.EAGAIN) {
                return new Ladder(UdpBatch.OFF, refusal("the system call recvmmsg", received));
            }
            int segment = calls.setOption(descriptor, MessageVector.SOL_UDP, MessageVector.UDP_SEGMENT, ANY_SEGMENT);
            if (segment != 0) {
                return new Ladder(UdpBatch.MMSG, refusal("the socket option UDP_SEGMENT", segment));
            }
            int trains = calls.setOption(descriptor, MessageVector.SOL_UDP, MessageVector.UDP_GRO, 1);
            return trains == 0
                    ? new Ladder(UdpBatch.GSO, null)
                    : new Ladder(UdpBatch.MMSG, refusal("the socket option UDP_GRO", trains));
        } finally {
            calls.close(descriptor);
        }
    }

    private static String refusal(String what, int result) {
        return "the kernel refuses " + what + " (" + (result < 0 ? "error " + -result : "result " + result) + ")";
    }
}
