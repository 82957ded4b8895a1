package io.sluice.perf.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real namespaces. Bounds of rates are wide: a busy machine is slow; nothing is faster than its bucket. */
@Tag("slow")
@Timeout(300)
@Isolated("measures links, and removes what other labs leave")
final class LabTest {
    private static final long MBIT = 1_000_000;
    private static final long SETTLE_NS = 400_000_000;
    private static final long MEASURE_NS = 1_000_000_000;
    // A late thread finds at most what its socket's buffer kept for it meanwhile, on top of what the link then carries.
    private static final double ABOVE = 1.25;
    private static final double BELOW = 0.4;
    // Packets by which hosts find addresses of others.
    private static final int STRAY_PACKETS = 12;
    private static final int STRAY_BYTES = STRAY_PACKETS * 60;

    @BeforeAll
    static void root() {
        LabRoot.assume();
    }

    @ParameterizedTest
    @ValueSource(longs = {50, 200})
    void keepsTheRate(long mbit) throws IOException, InterruptedException {
        try (Lab lab = Lab.build(new LabPlan().hosts(2).rate(mbit * MBIT))) {
            assertRate(mbit * MBIT, lab, 0, 1);
        }
    }

    @Test
    void eachDirectionHasItsOwnRate() throws IOException, InterruptedException {
        LabPlan plan = new LabPlan()
                .hosts(2)
                .rate(400 * MBIT)
                .uplink(LinkName.host(0), 20 * MBIT)
                .downlink(LinkName.host(0), 100 * MBIT);
        try (Lab lab = Lab.build(plan)) {
            assertRate(20 * MBIT, lab, 0, 1);
            assertRate(100 * MBIT, lab, 1, 0);
        }
    }

    @Test
    void changesRatesWhileTheyAreUsed() throws IOException, InterruptedException {
        try (Lab lab = Lab.build(new LabPlan().hosts(2).rate(200 * MBIT))) {
            lab.host(0).link().uplink(20 * MBIT);
            assertRate(20 * MBIT, lab, 0, 1);
            lab.host(0).link().uplink(200 * MBIT);
            lab.host(1).link().downlink(60 * MBIT);
            assertRate(60 * MBIT, lab, 0, 1);
            LinkTraffic first = lab.traffic().getFirst();
            assertEquals(200 * MBIT, first.up().rateBits());
            assertEquals(200 * MBIT, first.down().rateBits());
        }
    }

    @Test
    void racksShareTheirUplink() throws IOException, InterruptedException {
        LabPlan plan = new LabPlan().hosts(4).racks(2).rate(400 * MBIT).rackRate(40 * MBIT);
        try (Lab lab = Lab.build(plan)) {
            assertRate(40 * MBIT, lab, 0, 2);
            double inside = new Transfer(lab.host(0), lab.host(1)).measure(SETTLE_NS, MEASURE_NS);
            assertTrue(inside > 2 * 40 * MBIT, "inside a rack " + inside);
            LinkTraffic rack = lab.traffic().get(4);
            assertEquals("rack0", rack.link());
            assertTrue(rack.up().bytes() > 1_000_000, rack::toString);
        }
    }

    private static void assertRate(long rate, Lab lab, int from, int to) throws IOException, InterruptedException {
        double measured = new Transfer(lab.host(from), lab.host(to)).measure(SETTLE_NS, MEASURE_NS);
        System.out.printf("link of %.0f Mbit/s: payload of %.1f Mbit/s%n", rate / 1e6, measured / 1e6);
        assertTrue(measured < ABOVE * rate, () -> measured + " on a link of " + rate);
        assertTrue(measured > BELOW * rate, () -> measured + " on a link of " + rate);
    }

    @Test
    void cutsAndRestores() throws IOException, InterruptedException {
        try (Lab lab = Lab.build(new LabPlan().hosts(3));
                Transfer transfer = new Transfer(lab.host(0), lab.host(1))) {
            assertEquals(1, exchange(transfer, 1));
            lab.cut(1);
            assertFalse(lab.traffic().get(1).connected());
            assertThrows(SocketTimeoutException.class, () -> exchange(transfer, 2));
            lab.restore(1);
            assertTrue(lab.traffic().get(1).connected());
            transfer.in().socket().setSoTimeout(30_000);
            assertEquals(2, transfer.in().socket().getInputStream().read());
        }
    }

    private static int exchange(Transfer transfer, int value) throws IOException {
        transfer.out().socket().getOutputStream().write(value);
        transfer.in().socket().setSoTimeout(500);
        return transfer.in().socket().getInputStream().read();
    }

    @ParameterizedTest
    @ValueSource(ints = {1_500, 9_000})
    void countsWhatIsSent(int mtu) throws IOException, InterruptedException {
        int datagrams = 500;
        int length = mtu - 28;
        try (Lab lab = Lab.build(new LabPlan().hosts(3).mtu(mtu))) {
            Host from = lab.host(0);
            Host to = lab.host(1);
            try (DatagramChannel in = to.call(() -> DatagramChannel.open(StandardProtocolFamily.INET)
                            .bind(new InetSocketAddress(to.address(), 0)));
                    DatagramChannel out = from.call(() ->
                            DatagramChannel.open(StandardProtocolFamily.INET).connect(in.getLocalAddress()))) {
                ByteBuffer buffer = ByteBuffer.allocateDirect(length);
                ByteBuffer arrived = ByteBuffer.allocateDirect(length + 1);
                for (int i = 0; i < datagrams; i++) {
                    out.write(buffer.clear());
                    in.receive(arrived.clear());
                    assertEquals(length, arrived.position());
                }
            }
            List<LinkTraffic> links = lab.traffic();
            assertCarried(datagrams, length + 42, links.get(0).up());
            assertCarried(datagrams, length + 42, links.get(1).down());
            assertCarried(0, 0, links.get(0).down());
            assertCarried(0, 0, links.get(2).up());
            assertCarried(0, 0, links.get(2).down());
        }
    }

    private static void assertCarried(int packets, int length, LinkTraffic.Direction direction) {
        long bytes = (long) packets * length;
        assertTrue(direction.packets() >= packets, direction::toString);
        assertTrue(direction.packets() <= packets + STRAY_PACKETS, direction::toString);
        assertTrue(direction.bytes() >= bytes, direction::toString);
        assertTrue(direction.bytes() <= bytes + STRAY_BYTES, direction::toString);
        assertEquals(0, direction.dropped(), direction::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0-1:40mbit", "0-1:40mbit/tcp"})
    void crossTrafficKeepsItsRate(String flow) throws IOException, InterruptedException {
        try (Lab lab = Lab.build(new LabPlan().hosts(2).rate(400 * MBIT));
                CrossTraffic cross = lab.cross(CrossFlow.parse("flow", flow))) {
            Thread.sleep(200);
            long first = System.nanoTime();
            long before = lab.traffic().get(1).down().bytes();
            Thread.sleep(1_000);
            long bytes = lab.traffic().get(1).down().bytes() - before;
            double rate = bytes * 8e9 / (System.nanoTime() - first);
            System.out.printf("cross traffic %s: %.1f Mbit/s%n", flow, rate / 1e6);
            assertTrue(rate < ABOVE * 40 * MBIT, "rate " + rate);
            assertTrue(rate > BELOW * 40 * MBIT, "rate " + rate);
            long received = cross.receivedBytes();
            long sent = cross.sentBytes() + CrossTraffic.TCP_WRITE; // a sender counts a write after it
            assertTrue(received > 0 && received <= sent, received + " bytes received, " + sent + " sent");
        }
    }

    @Test
    void processesSeeTheirHostAndEndWithTheLab() throws IOException, InterruptedException {
        Process endless;
        Lab lab = Lab.build(new LabPlan().hosts(2));
        try (lab) {
            Process shell = lab.host(1)
                    .process(
                            List.of("sh", "-c", "ip -o -4 address show eth0; echo $LAB_HOST/$LAB_HOSTS $LAB_ADDRESSES"))
                    .start();
            String said = new String(shell.getInputStream().readAllBytes());
            assertTrue(said.contains("inet 10.77.0.2/24"), said);
            assertTrue(said.contains("1/2 10.77.0.1 10.77.0.2"), said);
            endless = lab.host(0)
                    .process(List.of("sh", "-c", "trap '' TERM; echo here; sleep 600 & wait"))
                    .start();
            assertEquals(
                    "here",
                    endless.inputReader().readLine(),
                    "the process must be on its host before others can find it");
            assertTrue(Files.isDirectory(lab.host(0).folder()));
        }
        assertTrue(endless.waitFor(60, TimeUnit.SECONDS));
        assertGone(lab.name());
        lab.close();
    }

    @Test
    void removesItselfWhenTheJobFails() {
        LabName[] name = new LabName[1];
        IllegalStateException failure = assertThrows(IllegalStateException.class, () -> {
            try (Lab lab = Lab.build(new LabPlan().hosts(2))) {
                name[0] = lab.name();
                throw new IllegalStateException("the job");
            }
        });
        assertEquals("the job", failure.getMessage());
        assertGone(name[0]);
    }

    @Test
    void leavesNothingWhenItCannotBeBuilt() {
        LabName last = LabName.next();
        LabName next = new LabName(last.pid(), last.started(), last.number() + 1);
        NetworkNamespaces.add(next.host(2));
        UnavailableException refused =
                assertThrows(UnavailableException.class, () -> Lab.build(new LabPlan().hosts(4)));
        assertTrue(refused.getMessage().contains(next.host(2)), refused::getMessage);
        assertGone(next);
    }

    @Test
    void twoLabsLiveSideBySide() throws IOException, InterruptedException {
        try (Lab first = Lab.build(new LabPlan().hosts(2));
                Lab second = Lab.build(new LabPlan().hosts(2));
                Transfer inFirst = new Transfer(first.host(0), first.host(1));
                Transfer inSecond = new Transfer(second.host(0), second.host(1))) {
            assertEquals(List.of(), LabRemains.removeStale());
            second.cut(1);
            assertEquals(7, exchange(inFirst, 7));
            assertThrows(SocketTimeoutException.class, () -> exchange(inSecond, 8));
        }
    }

    static void assertGone(LabName lab) {
        assertEquals(
                List.of(), NetworkNamespaces.names().stream().filter(lab::owns).toList());
        assertFalse(Files.exists(lab.folder()));
    }
}
