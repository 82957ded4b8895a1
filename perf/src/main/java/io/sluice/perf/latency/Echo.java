package io.sluice.perf.latency;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.OpeningHandler;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.lab.Host;
import io.sluice.perf.nodes.PollingThread;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A frame without payload from one thread to another and back, as control frames are sent. The caller's thread sends a
 * request, a thread of this class answers. Each of them writes a new frame, so a round trip of sealed frames has two
 * seals and two openings.
 */
final class Echo implements AutoCloseable {
    private static final int PORT_THERE = Host.FREE_PORTS + 10_001;
    private static final int PORT_BACK = Host.FREE_PORTS + 10_002;
    private static final int STREAM_THERE = 9_001;
    private static final int STREAM_BACK = 9_002;
    private static final int POLL_LIMIT = 8;
    private static final int SPINS = 200;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final IdleStrategy idle;
    private final End near;
    private final End far;
    private final PollingThread answerer;

    private Echo(End near, End far, Supplier<IdleStrategy> idle) {
        this.near = near;
        this.far = far;
        this.idle = idle.get();
        near.link.awaitConnected(PATIENCE_NS, SystemNanoClock.INSTANCE, new SleepingIdleStrategy(PAUSE_NS));
        far.link.awaitConnected(PATIENCE_NS, SystemNanoClock.INSTANCE, new SleepingIdleStrategy(PAUSE_NS));
        answerer = new PollingThread("echo", idle.get(), () -> far.inbox.poll(POLL_LIMIT));
    }

    /** Opens streams over shared memory, whose threads never sleep: there may be fewer cores than threads. */
    static Echo overIpc(Transport transport, boolean sealed) {
        SenderSeals seals = sealed ? SealedFrame.newSeals() : null;
        End far = new End(seals, true);
        End near = new End(seals, false);
        far.inbox = transport.openIpcInbox("echo", STREAM_THERE, far.validator(), far.handler());
        near.inbox = transport.openIpcInbox("answers", STREAM_BACK, near.validator(), near.handler());
        near.link = transport.openLink("echo", transport.channels().ipc(), STREAM_THERE);
        far.link = transport.openLink("answers", transport.channels().ipc(), STREAM_BACK);
        return new Echo(near, far, () -> new BackoffIdleStrategy(SPINS, Long.MAX_VALUE, 1, 1));
    }

    /** Opens streams between two hosts, through the media drivers of the cluster. */
    static Echo overUdp(Cluster cluster, Host from, Host to) {
        Transport there = cluster.connect(from);
        Transport back = cluster.connect(to);
        Endpoint asked = new Endpoint(to.address(), PORT_THERE);
        Endpoint answered = new Endpoint(from.address(), PORT_BACK);
        End far = new End(null, true);
        End near = new End(null, false);
        far.transport = back;
        near.transport = there;
        far.inbox = back.openUdpInbox("echo", asked, STREAM_THERE, far.validator(), far.handler());
        near.inbox = there.openUdpInbox("answers", answered, STREAM_BACK, near.validator(), near.handler());
        near.link = there.openLink("echo", there.channels().udpTo(asked), STREAM_THERE);
        far.link = back.openLink("answers", back.channels().udpTo(answered), STREAM_BACK);
        return new Echo(near, far, () -> new BackoffIdleStrategy(10, 20, 1_000, 100_000));
    }

    /**
     * Sends a frame and waits until it returns.
     *
     * @return the round-trip time in nanoseconds
     * @throws IllegalStateException if it does not return
     */
    long ask() {
        long goal = near.received + 1;
        long startNs = System.nanoTime();
        near.send();
        while (near.received < goal) {
            idle.idle(near.inbox.poll(POLL_LIMIT));
            answerer.requireSound();
            requireLife(startNs);
        }
        return System.nanoTime() - startNs;
    }

    private static void requireLife(long sinceNs) {
        if (System.nanoTime() - sinceNs > PATIENCE_NS) {
            throw new IllegalStateException("a control frame has not returned within 20 s");
        }
    }

    @Override
    public void close() {
        answerer.close();
        near.close();
        far.close();
    }

    /** What one of the two threads uses: the link on which it sends and the inbox from which it receives. */
    private static final class End {
        private final SealedFrame frame = new SealedFrame(Frame.DATA_LENGTH);
        private final SenderSeals seals;
        private final FrameSeal seal;
        private final boolean echoes;
        private Transport transport;
        private Inbox inbox;
        private Link link;
        private long received;

        /** Creates an end whose frames are sealed, or only have a checksum if there are no seals. */
        End(SenderSeals seals, boolean echoes) {
            this.seals = seals;
            this.seal = seals == null ? FrameSeal.checksumOnly() : seals.newSeal();
            this.echoes = echoes;
        }

        FrameValidator validator() {
            return new FrameValidator(SealedFrame.CLUSTER, new FrameChecksum())
                    .sealed(seals == null ? SealRule.OPEN : SealRule.SEALED);
        }

        FrameHandler handler() {
            FrameHandler own = (buffer, offset, length, templateId, session) -> onFrame();
            return seals == null
                    ? own
                    : new OpeningHandler(SealedFrame.newOpener(frame.length), own, rejection -> {
                        throw new IllegalStateException("a frame was refused: " + rejection.explanation());
                    });
        }

        private FrameHandler.Action onFrame() {
            received++;
            if (echoes) {
                send();
            }
            return FrameHandler.Action.CONTINUE;
        }

        void send() {
            int length = frame.finish(seal);
            long startNs = System.nanoTime();
            while (!link.offer(frame.frame.buffer(), 0, length)) {
                requireLife(startNs);
                Thread.onSpinWait();
            }
        }

        void close() {
            CloseHelper.quietCloseAll(inbox, link, transport);
        }
    }
}
