package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver.UdpBatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledOnOs(OS.LINUX)
@Isolated("sets a system property")
class BatchModeTest {
    private static final int EBADF = 9;
    private static final int ENOPROTOOPT = 92;
    private static final int ENOSYS = 38;

    /** The kernel of this machine without one feature. */
    private static final class Lacking implements SocketCalls {
        private final LinuxSockets kernel = new LinuxSockets();
        private final String lack;

        Lacking(String lack) {
            this.lack = lack;
        }

        @Override
        public int send(int descriptor, long headers, int count) {
            return lack.equals("sendmmsg") ? -ENOSYS : kernel.send(descriptor, headers, count);
        }

        @Override
        public int receive(int descriptor, long headers, int count) {
            return lack.equals("recvmmsg") ? -ENOSYS : kernel.receive(descriptor, headers, count);
        }

        @Override
        public int option(int descriptor, int level, int name) {
            return lack.equals("descriptor") ? -EBADF : kernel.option(descriptor, level, name);
        }

        @Override
        public int setOption(int descriptor, int level, int name, int value) {
            boolean lacks = lack.equals(name == MessageVector.UDP_GRO ? "UDP_GRO" : "UDP_SEGMENT");
            return lacks ? -ENOPROTOOPT : kernel.setOption(descriptor, level, name, value);
        }

        @Override
        public int duplicate(int descriptor) {
            return kernel.duplicate(descriptor);
        }

        @Override
        public void close(int descriptor) {
            kernel.close(descriptor);
        }
    }

    @BeforeAll
    static void requireAllRungs() {
        BatchMode choice = BatchMode.choose(UdpBatch.AUTO, LinuxSockets::new);
        assumeTrue(choice.mode() == UdpBatch.GSO, choice.reason());
    }

    @ParameterizedTest
    @CsvSource({
        "UDP_GRO, MMSG, the kernel refuses the socket option UDP_GRO (error 92)",
        "UDP_SEGMENT, MMSG, the kernel refuses the socket option UDP_SEGMENT (error 92)",
        "sendmmsg, OFF, the kernel refuses the system call sendmmsg (error 38)",
        "descriptor, OFF, the file descriptor of a socket is not found",
        "recvmmsg, OFF, the kernel refuses the system call recvmmsg (error 38)"
    })
    void whatIsLackingDecidesTheModeAndIsTheReason(String lack, UdpBatch mode, String reason) {
        BatchMode choice = BatchMode.choose(UdpBatch.AUTO, () -> new Lacking(lack));
        assertEquals(mode, choice.mode());
        assertEquals(reason, choice.reason());
    }

    @Test
    void nothingIsLackingOnThisMachine() {
        BatchMode choice = BatchMode.choose(UdpBatch.AUTO, () -> new Lacking("nothing"));
        assertEquals(new BatchMode(UdpBatch.GSO, null), choice);
    }

    @Test
    void aJvmThatCannotCallFallsBack() {
        BatchMode choice = BatchMode.choose(UdpBatch.AUTO, () -> {
            throw new UnsatisfiedLinkError("no sendmmsg");
        });
        assertEquals(UdpBatch.OFF, choice.mode());
        assertEquals(
                "a socket cannot be opened to test system calls: java.lang.UnsatisfiedLinkError: no sendmmsg",
                choice.reason());
    }

    @Test
    void theFlagNamesTheModuleIfThereIsOne() {
        assertEquals(
                "the JVM was started without --enable-native-access=java.base",
                BatchMode.noAccess(Object.class.getModule()));
        assertEquals(
                "the JVM was started without --enable-native-access=ALL-UNNAMED",
                BatchMode.noAccess(getClass().getClassLoader().getUnnamedModule()));
    }

    @Test
    void endpointsThatTheUserHasChosenStay() {
        System.setProperty(
                "aeron.SendChannelEndpoint.supplier", "io.aeron.driver.ext.DebugSendChannelEndpointSupplier");
        try {
            BatchMode choice = BatchMode.choose(UdpBatch.AUTO, LinuxSockets::new);
            assertEquals(UdpBatch.OFF, choice.mode());
            assertEquals("Aeron uses other endpoints, set with -Daeron.SendChannelEndpoint.supplier", choice.reason());
        } finally {
            System.clearProperty("aeron.SendChannelEndpoint.supplier");
        }
    }

    @Test
    void aRungThatIsWantedAndNotThereIsRefused() {
        MessagingException refusal = assertThrows(
                MessagingException.class, () -> BatchMode.choose(UdpBatch.GSO, () -> new Lacking("UDP_GRO")));
        assertEquals(
                "UDP batch (sluice.udp.batch) is 'gso', which this machine does not support: the kernel refuses the"
                        + " socket option UDP_GRO (error 92); expected mmsg, off or auto",
                refusal.getMessage());
        refusal = assertThrows(
                MessagingException.class, () -> BatchMode.choose(UdpBatch.MMSG, () -> new Lacking("sendmmsg")));
        assertEquals(
                "UDP batch (sluice.udp.batch) is 'mmsg', which this machine does not support: the kernel refuses the"
                        + " system call sendmmsg (error 38); expected off or auto",
                refusal.getMessage());
    }

    @Test
    void aLowerRungIsGivenWithoutAReason() {
        assertEquals(new BatchMode(UdpBatch.MMSG, null), BatchMode.choose(UdpBatch.MMSG, LinuxSockets::new));
        BatchMode off = BatchMode.choose(UdpBatch.OFF, () -> {
            throw new AssertionError("nothing needs to be tried");
        });
        assertEquals(UdpBatch.OFF, off.mode());
        assertNull(off.reason());
    }
}
