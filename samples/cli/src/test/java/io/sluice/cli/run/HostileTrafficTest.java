package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.codecs.Frame;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Foreign bytes arrive at every port of a running job: it drops and counts them, and its result is unchanged. */
@Tag("slow")
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "uses /dev/shm")
class HostileTrafficTest {
    private static final int CONTROL_STREAM = 10;
    private static final Pattern RECEIVER = Pattern.compile("rcv-channel: aeron:udp\\?.*endpoint=([0-9.]+:[0-9]+)");
    private static final Object[] TRAINING = {
        "train",
        "lr",
        "--workers",
        2,
        "--servers",
        2,
        "--features",
        1 << 14,
        "--filter",
        "none",
        "--transport",
        "udp",
        "--clocks",
        3_000,
        "--batch",
        8
    };

    private final Random random = new Random(42);

    @TempDir
    private Path folder;

    @Test
    void doNotChangeTheResult() throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = Cli.plain().start(with("--json", json))) {
            run.awaitTraining();
            Set<Endpoint> ports = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
            try (Transport outsider = Transport.connect(new Transport.Context().directory(run.jobDirectory()))) {
                ports.addAll(receivers(outsider));
                assertTrue(ports.size() >= 5, "a coordinator, two servers and two workers receive: " + ports);
                for (Endpoint port : ports) {
                    sendDatagrams(port);
                    sendFrames(outsider, port);
                }
                assertTrue(run.isAlive(), () -> "it was sent to while it trained: " + run);
            }
            run.assertFine();
        }
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.get("frames_rejected").asLong() > 0, report::toPrettyString);
        JsonNode reference = LrRun.report(options("--reference"));
        assertEquals(LrRun.hash(reference), LrRun.hash(report));
        assertFalse(report.get("frames_rejected").asLong() > 10_000);
    }

    private static Object[] with(Object... more) {
        Object[] all = Arrays.copyOf(TRAINING, TRAINING.length + more.length);
        System.arraycopy(more, 0, all, TRAINING.length, more.length);
        return all;
    }

    private static Object[] options(Object... more) {
        Object[] all = with(more);
        return Arrays.copyOfRange(all, 2, all.length);
    }

    /** Returns the endpoints at which the job's nodes receive, from the media driver's counters. */
    private static List<Endpoint> receivers(Transport outsider) {
        List<Endpoint> endpoints = new ArrayList<>();
        outsider.aeron().countersReader().forEach((counter, type, key, label) -> {
            Matcher receiver = RECEIVER.matcher(label);
            if (receiver.find()) {
                endpoints.add(Endpoint.parse(receiver.group(1)));
            }
        });
        return endpoints;
    }

    /** Bytes that are not Aeron frames. */
    private void sendDatagrams(Endpoint port) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < 200; i++) {
                byte[] bytes = noise(1 + random.nextInt(1_400));
                socket.send(new DatagramPacket(bytes, bytes.length, port.resolve()));
            }
        }
    }

    /** Aeron frames that are none of Sluice's, and some that begin as if they were. */
    private void sendFrames(Transport outsider, Endpoint port) {
        try (Link link = outsider.openLink("outsider", outsider.channels().udpTo(port), CONTROL_STREAM)) {
            link.awaitConnected(TimeUnit.SECONDS.toNanos(20), SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
            for (int i = 0; i < 100; i++) {
                UnsafeBuffer frame = new UnsafeBuffer(noise(Frame.DATA_LENGTH + random.nextInt(500)));
                if (i % 2 == 0) {
                    frame.putShort(Frame.TEMPLATE_ID_OFFSET, (short) (1 + random.nextInt(15)), ByteOrder.LITTLE_ENDIAN);
                    frame.putShort(Frame.SCHEMA_ID_OFFSET, (short) Frame.SCHEMA_ID, ByteOrder.LITTLE_ENDIAN);
                    frame.putShort(Frame.VERSION_OFFSET, (short) Frame.SCHEMA_VERSION, ByteOrder.LITTLE_ENDIAN);
                }
                Until.isSo(
                        CliRun.PATIENCE,
                        () -> link.offer(frame, 0, frame.capacity()),
                        () -> "room on the way to " + port);
            }
        }
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
