package io.sluice.messaging;

import static io.sluice.messaging.Namespaces.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two hosts in namespaces with a wire of 1,500-byte packets between them, and a driver on each. */
@Timeout(180)
class UdpBatchNetworkTest {
    private static final int FRAMES = 2_000;
    private static final int ELEMENTS = 16_320;
    private static final int PORT = 40_100;
    private static final String DONE = "done ";

    @AutoClose
    private final Namespaces hosts = new Namespaces("sluiceudp");

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "10.79.0.1/24, 10.79.0.2/24, gso, gso, 20, 20",
        "fd79::1/64, fd79::2/64, gso, gso, 20, 20",
        "10.79.0.1/24, 10.79.0.2/24, mmsg, mmsg, 20, 1",
        "10.79.0.1/24, 10.79.0.2/24, gso, off, 20, 0",
        "10.79.0.1/24, 10.79.0.2/24, off, gso, 0, 1"
    })
    void hostsOfAnyRungUnderstandEachOther(
            String near, String far, String sending, String receiving, double perSend, double perReceive)
            throws IOException {
        wire(near, far);
        Process receiver = start("far", receiving, far.substring(0, far.indexOf('/')));
        try {
            assertEquals("ready", receiver.inputReader(StandardCharsets.UTF_8).readLine());
            String sent = Subprocess.run(hosts.java(
                    "near",
                    UdpBatchNetworkTest.class,
                    List.of("-Dsluice.udp.batch=" + sending),
                    far.substring(0, far.indexOf('/')),
                    "send"));
            assertTrue(sent.startsWith(DONE), sent);
            assertTrue(Double.parseDouble(sent.substring(DONE.length())) >= perSend, sent + " a send");
            String received = receiver.inputReader(StandardCharsets.UTF_8).readLine();
            assertTrue(received.startsWith(DONE), received);
            assertTrue(Double.parseDouble(received.substring(DONE.length())) >= perReceive, received + " a receive");
        } finally {
            receiver.destroyForcibly();
        }
    }

    private Process start(String host, String mode, String address) throws IOException {
        return new ProcessBuilder(hosts.java(
                        host, UdpBatchNetworkTest.class, List.of("-Dsluice.udp.batch=" + mode), address, "receive"))
                .redirectErrorStream(true)
                .start();
    }

    private void wire(String near, String far) {
        hosts.add("near");
        hosts.add("far");
        String name = hosts.name("near");
        run(
                "ip",
                "-n",
                name,
                "link",
                "add",
                "eth0",
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                hosts.name("far"));
        up("near", near);
        up("far", far);
    }

    private void up(String host, String address) {
        String name = hosts.name(host);
        if (address.contains(":")) {
            run("ip", "-n", name, "address", "add", address, "dev", "eth0", "nodad");
        } else {
            run("ip", "-n", name, "address", "add", address, "dev", "eth0");
        }
        run("ip", "-n", name, "link", "set", "eth0", "up");
        run("ip", "-n", name, "link", "set", "lo", "up");
    }

    /** Runs on a host: sends or receives all frames, and prints the number of datagrams of a call. */
    public static void main(String[] args) {
        Endpoint endpoint = new Endpoint(args[0], PORT);
        try (Rig rig = new Rig(Rig.shortTerms())) {
            boolean sends = args[1].equals("send");
            if (sends) {
                send(rig, endpoint);
            } else {
                receive(rig, endpoint);
            }
            CounterReading reading = CounterReading.of(rig.sender.aeron().countersReader());
            double datagrams =
                    reading.sum(sends ? CounterType.DRIVER_DATAGRAMS_SENT : CounterType.DRIVER_DATAGRAMS_RECEIVED);
            long calls = reading.sum(sends ? CounterType.DRIVER_SENDS : CounterType.DRIVER_RECEIVES);
            System.out.println(DONE + (calls == 0 ? 0 : datagrams / calls));
        }
    }

    private static void send(Rig rig, Endpoint endpoint) {
        Frames frames = new Frames();
        Link link = rig.sender.openLink("test", rig.channels.bulkUdpTo(endpoint), Rig.STREAM);
        link.awaitConnected(Rig.PATIENCE_NS, SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
        for (int i = 0; i < FRAMES; i++) {
            int length = frames.encode(i, ELEMENTS);
            Rig.until(() -> link.offer(frames.buffer(), 0, length), () -> {});
        }
        Rig.until(() -> !link.isConnected(), () -> {}); // the receiver has all, and closes
    }

    private static void receive(Rig rig, Endpoint endpoint) {
        int[] next = new int[1];
        Inbox inbox = rig.receiver.openUdpInbox(
                "test", endpoint, Rig.STREAM, Frames.validator(), (buffer, offset, length, template, session) -> {
                    assertEquals(next[0]++, Frames.number(buffer, offset));
                    return Action.CONTINUE;
                });
        System.out.println("ready");
        long start = System.nanoTime();
        while (next[0] < FRAMES) {
            inbox.poll(16);
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(30), () -> next[0] + " frames");
        }
        assertEquals(0, inbox.rejections().total());
        inbox.close();
    }
}
