package io.sluice.messaging.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.EndpointInUseException;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.bandwidth.AvailableBandwidth.End;
import io.sluice.messaging.bandwidth.AvailableBandwidthSearch.Limits;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ProbeReflectorTest {
    private static final long CLUSTER = 0x1234_5678_9ABC_DEF0L;
    private static final Endpoint LOCAL = new Endpoint("127.0.0.1", 0);
    private static final StreamShape SHAPE = new StreamShape(20, 3, 300, 100_000, 7);

    @Test
    void seesEveryStepOfAStream() throws IOException {
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER);
                Prober prober = Prober.open(reflector.endpoint(), CLUSTER)) {
            for (int i = 0; i < 5; i++) {
                StreamArrival arrival = prober.path().send(SHAPE);
                assertNotNull(arrival);
                assertEquals(SHAPE.datagrams(), arrival.received());
                assertEquals(SHAPE.steps(), arrival.delays().length);
                assertTrue(arrival.spanNs() > 0);
            }
            assertEquals(5, reflector.answered());
            assertEquals(0, reflector.rejected());
        }
    }

    @Test
    @Tag("slow")
    void searchesAcrossTheLoopback() throws IOException {
        Limits limits = new Limits(64_000_000, TimeUnit.SECONDS.toNanos(20), 12_500_000, 0.2, 5);
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER);
                Prober prober = Prober.open(reflector.endpoint(), CLUSTER)) {
            AvailableBandwidth found = AvailableBandwidthSearch.run(prober, limits);
            assertTrue(found.isKnown(), () -> "some rate passes the loopback undelayed: " + found);
            assertTrue(reflector.answered() >= found.streams(), () -> reflector.answered() + " answers to " + found);
            assertEquals(0, reflector.rejected(), found::toString);
        }
    }

    /** The network may deliver a datagram late, or twice. */
    @Test
    void aLateDatagramDoesNotBringAnOlderStreamBack() throws IOException {
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER);
                DatagramSocket prober = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            prober.connect(reflector.endpoint().resolve());
            prober.setSoTimeout(5_000);
            ByteBuffer buffer = ByteBuffer.allocate(ProbeDatagram.MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            for (int previous : new int[] {1, 41, Integer.MAX_VALUE}) {
                probe(prober, buffer, previous, 0);
                probe(prober, buffer, previous + 1, 0);
                probe(prober, buffer, previous, 1);
                probe(prober, buffer, previous + 1, 1);
                ProbeDatagram.question(buffer, CLUSTER, 5, previous + 1, SHAPE);
                send(prober, buffer, buffer.limit());
                ByteBuffer answer = answer(prober);
                assertEquals(previous + 1, ProbeDatagram.stream(answer));
                assertEquals(2, ProbeDatagram.received(answer), "probes of the newer stream");
            }
        }
    }

    private static void probe(DatagramSocket prober, ByteBuffer buffer, int stream, int step) throws IOException {
        ProbeDatagram.beginProbes(buffer, CLUSTER, 5, stream, SHAPE);
        ProbeDatagram.probe(buffer, step, 0, 0);
        send(prober, buffer, buffer.limit());
    }

    private static ByteBuffer answer(DatagramSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[ProbeDatagram.MAX_LENGTH], ProbeDatagram.MAX_LENGTH);
        socket.receive(packet);
        return ByteBuffer.wrap(packet.getData(), 0, packet.getLength()).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    @Tag("slow")
    void answersNoProberOfAnotherCluster() throws IOException {
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER);
                Prober prober = Prober.open(reflector.endpoint(), CLUSTER + 1)) {
            AvailableBandwidth found = AvailableBandwidthSearch.run(prober, Limits.DEFAULT);
            assertEquals(End.UNANSWERED, found.end());
            assertEquals(0, reflector.answered());
            assertTrue(reflector.rejected() > 0);
        }
    }

    @Test
    void endsWithoutAReflector() throws IOException {
        Endpoint gone;
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER)) {
            gone = reflector.endpoint();
        }
        try (Prober prober = Prober.open(gone, CLUSTER)) {
            assertEquals(
                    End.UNANSWERED,
                    AvailableBandwidthSearch.run(prober, Limits.DEFAULT).end());
        }
    }

    @Test
    void survivesForeignDatagrams() throws IOException {
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER);
                DatagramSocket outsider = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            outsider.connect(reflector.endpoint().resolve());
            outsider.setSoTimeout(1);
            SplittableRandom random = new SplittableRandom(11);
            int sent = 0;
            int answers = 0;
            for (int i = 0; i < 2_000; i++) {
                byte[] datagram = hostile(random);
                outsider.send(new DatagramPacket(datagram, datagram.length));
                sent++;
                if (i % 50 == 0) {
                    answers += drain(outsider);
                }
            }
            assertTrue(sent > answers);
            try (Prober prober = Prober.open(reflector.endpoint(), CLUSTER)) {
                assertNotNull(prober.path().send(SHAPE), "it still serves its own");
            }
        }
    }

    @Test
    void neverAnswersWithMoreThanItWasSent() throws IOException {
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER);
                DatagramSocket asker = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            asker.connect(reflector.endpoint().resolve());
            asker.setSoTimeout(200);
            ByteBuffer buffer = ByteBuffer.allocate(ProbeDatagram.MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            ProbeDatagram.beginProbes(buffer, CLUSTER, 5, 1, SHAPE);
            ProbeDatagram.probe(buffer, 0, 0, 0);
            send(asker, buffer, buffer.limit());
            ProbeDatagram.question(buffer, CLUSTER, 5, 1, SHAPE);
            int length = buffer.limit();
            send(asker, buffer, length - 4);
            assertThrows(SocketTimeoutException.class, () -> receive(asker));
            send(asker, buffer, length);
            assertEquals(length, receive(asker));
            // What was never sent is not answered.
            ProbeDatagram.question(buffer, CLUSTER, 6, 1, SHAPE);
            send(asker, buffer, length);
            assertThrows(SocketTimeoutException.class, () -> receive(asker));
        }
    }

    @Test
    @Tag("slow")
    void servesNoMoreThanItsProbersAtATime() throws IOException {
        List<DatagramSocket> sockets = new ArrayList<>(); // all open to the end, so that no two have the same port
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER)) {
            ByteBuffer buffer = ByteBuffer.allocate(ProbeDatagram.MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < ProbeReflector.PROBERS; i++) {
                DatagramSocket one = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                sockets.add(one);
                one.connect(reflector.endpoint().resolve());
                ProbeDatagram.beginProbes(buffer, CLUSTER, i, 1, SHAPE);
                ProbeDatagram.probe(buffer, 0, 0, 0);
                send(one, buffer, buffer.limit());
            }
            try (Prober late = Prober.open(reflector.endpoint(), CLUSTER)) {
                assertNull(late.path().send(SHAPE));
            }
            assertTrue(reflector.rejected() > 0);
        } finally {
            sockets.forEach(DatagramSocket::close);
        }
    }

    @Test
    void refusesAPortInUse() {
        try (ProbeReflector reflector = ProbeReflector.open(LOCAL, CLUSTER)) {
            EndpointInUseException refusal = assertThrows(
                    EndpointInUseException.class, () -> ProbeReflector.open(reflector.endpoint(), CLUSTER));
            assertTrue(refusal.getMessage().contains(reflector.endpoint().toString()), refusal::getMessage);
        }
    }

    /** Bytes of no meaning, or a valid datagram with a few bytes changed, or cut off. */
    private static byte[] hostile(SplittableRandom random) {
        ByteBuffer buffer = ByteBuffer.allocate(ProbeDatagram.MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        if (random.nextInt(4) == 0) {
            byte[] noise = new byte[random.nextInt(0, 600)];
            random.nextBytes(noise);
            return noise;
        }
        if (random.nextBoolean()) {
            ProbeDatagram.beginProbes(buffer, CLUSTER, random.nextLong(4), 1, SHAPE);
        } else {
            ProbeDatagram.question(buffer, CLUSTER, random.nextLong(4), 1, SHAPE);
        }
        byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(buffer.limit()) : buffer.limit()];
        buffer.get(0, bytes);
        for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(Math.min(48, bytes.length))] = (byte) random.nextInt();
        }
        return bytes;
    }

    private static int drain(DatagramSocket socket) throws IOException {
        int count = 0;
        try {
            while (true) {
                receive(socket);
                count++;
            }
        } catch (SocketTimeoutException e) {
            return count;
        }
    }

    private static void send(DatagramSocket socket, ByteBuffer buffer, int length) throws IOException {
        socket.send(new DatagramPacket(buffer.array(), length));
    }

    private static int receive(DatagramSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[ProbeDatagram.MAX_LENGTH], ProbeDatagram.MAX_LENGTH);
        socket.receive(packet);
        return packet.getLength();
    }
}
