package io.sluice.tree;

import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.messaging.Channels;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/** A driver of the test's own, a root, and receivers of its frames that the test itself polls. */
final class FanOutRig implements AutoCloseable {
    static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    static final int ELEMENTS = 1_000;

    private static final int STREAM = 77;
    private static final int TERM_LENGTH = 64 << 10;

    final Link[] links;
    final List<Inbox> inboxes = new ArrayList<>();
    final List<List<byte[]>> received = new ArrayList<>();
    private final Driver driver;
    private final Transport transport;
    private boolean recording = true;

    FanOutRig(String medium, int receivers) {
        ChannelSettings lengths =
                new ChannelSettings().ipcTermLength(TERM_LENGTH).udpTermLength(TERM_LENGTH);
        driver = Driver.launch(new Driver.Context().directory(newDirectory()).channels(lengths));
        transport = Transport.connect(
                new Transport.Context().directory(driver.directory()).channels(new Channels(lengths)));
        links = new Link[receivers];
        for (int i = 0; i < receivers; i++) {
            links[i] = connect(medium, i);
        }
    }

    private static Path newDirectory() {
        Path memory = Path.of("/dev/shm");
        Path parent = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        return parent.resolve("sluice-test-" + UUID.randomUUID());
    }

    private Link connect(String medium, int receiver) {
        List<byte[]> frames = new ArrayList<>();
        received.add(frames);
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
        boolean ipc = "ipc".equals(medium);
        int stream = STREAM + receiver;
        Inbox inbox = ipc
                ? transport.openIpcInbox("test", stream, validator, (buffer, offset, length, template, session) -> {
                    record(frames, buffer, offset, length);
                    return Action.CONTINUE;
                })
                : transport.openUdpInbox(
                        "test",
                        new Endpoint("127.0.0.1", 0),
                        stream,
                        validator,
                        (buffer, offset, length, template, session) -> {
                            record(frames, buffer, offset, length);
                            return Action.CONTINUE;
                        });
        inboxes.add(inbox);
        Channels channels = transport.channels();
        Link link = transport.openLink("test", ipc ? channels.ipc() : channels.udpTo(inbox.endpoint()), stream);
        link.awaitConnected(PATIENCE_NS, SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
        long start = System.nanoTime();
        while (link.room() <= 0) { // the driver makes room a moment later
            if (System.nanoTime() - start > PATIENCE_NS) {
                throw new AssertionError("no room on " + link.label());
            }
            Thread.onSpinWait();
        }
        return link;
    }

    private void record(List<byte[]> frames, DirectBuffer buffer, int offset, int length) {
        if (recording) {
            byte[] copy = new byte[length];
            buffer.getBytes(offset, copy);
            frames.add(copy);
        }
    }

    void record(boolean on) {
        recording = on;
    }

    void poll(int receiver) {
        inboxes.get(receiver).poll(16);
    }

    /** Polls all inboxes; the limit of a test, an interrupt, ends a test that waits for a frame in vain. */
    void pollAll() {
        if (Thread.interrupted()) {
            throw new AssertionError("no frame has arrived in time");
        }
        for (Inbox inbox : inboxes) {
            inbox.poll(16);
        }
    }

    /** A frame whose content follows from its number. */
    static Prepared frame(int number) {
        FrameBuffer buffer = FrameBuffer.forDataFrames(ELEMENTS);
        Block block = buffer.room(new Block())
                .set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
        buffer.segment().asSlice(block.offset(), block.length()).fill((byte) number);
        DataHeader header = new DataHeader().clusterId(1).clock(number);
        int length = new DataFrameEncoder(ELEMENTS)
                .encode(buffer, header, block, PayloadCompressor.never(), new FrameChecksum());
        return new Prepared(new OutFrame(buffer.buffer()), buffer, length);
    }

    /** The round commit of the only route of origin 0. */
    static Prepared commit() {
        FrameBuffer buffer = new FrameBuffer(Frame.DATA_LENGTH);
        RoundCommitEncoder commit =
                new RoundCommitEncoder().wrapAndApplyHeader(buffer.buffer(), 0, new MessageHeaderEncoder());
        commit.envelope().clusterId(1);
        new FrameChecksum().write(buffer.buffer(), 0, commit.limit());
        return new Prepared(new OutFrame(buffer.buffer()), buffer, commit.limit());
    }

    /** A frame and its memory. */
    record Prepared(OutFrame out, FrameBuffer memory, int length) {
        byte[] bytes() {
            byte[] bytes = new byte[length];
            memory.buffer().getBytes(0, bytes);
            return bytes;
        }
    }

    static void requireSame(List<Prepared> sent, List<byte[]> received) {
        for (int i = 0; i < sent.size(); i++) {
            if (!Arrays.equals(sent.get(i).bytes(), received.get(i))) {
                throw new AssertionError("frame " + i + " differs");
            }
        }
    }

    @Override
    public void close() {
        transport.close();
        driver.close();
    }
}
