package io.sluice.perf.hops;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.perf.cluster.LabCluster;
import io.sluice.perf.lab.Host;
import io.sluice.perf.link.SealedFrames;
import io.sluice.perf.nodes.PollingThread;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A stream of frames without payload from one host to another and back, through the media drivers of the cluster, as
 * its control frames are sent. The caller's thread asks, a thread of this class answers.
 */
final class ControlEcho implements AutoCloseable {
    private static final int PORT_THERE = Host.FREE_PORTS + 10_001;
    private static final int PORT_BACK = Host.FREE_PORTS + 10_002;
    private static final int STREAM_THERE = 9_001;
    private static final int STREAM_BACK = 9_002;
    private static final double NS_PER_S = 1e9;
    private static final int POLL_LIMIT = 8;
    private static final int SPINS = 10;
    private static final int YIELDS = 20;
    private static final long LEAST_PARK_NS = 1_000;
    private static final long MOST_PARK_NS = 100_000;
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final SealedFrames frames = new SealedFrames(Frame.DATA_LENGTH, false);
    private final Transport near;
    private final Transport far;
    private final Inbox asked;
    private final Inbox answered;
    private final Link there;
    private final Link back;
    private final PollingThread answerer;
    private long returned;

    /** Opens the streams, and waits until they are connected. */
    ControlEcho(LabCluster cluster, Host from, Host to) {
        near = cluster.connect(from);
        far = cluster.connect(to);
        asked = far.openUdpInbox(
                "echo", new Endpoint(to.address(), PORT_THERE), STREAM_THERE, validator(), this::answer);
        answered = near.openUdpInbox(
                "answers", new Endpoint(from.address(), PORT_BACK), STREAM_BACK, validator(), this::count);
        there = near.openLink("echo", near.channels().udpTo(new Endpoint(to.address(), PORT_THERE)), STREAM_THERE);
        back = far.openLink("answers", far.channels().udpTo(new Endpoint(from.address(), PORT_BACK)), STREAM_BACK);
        there.awaitConnected(CONNECT_NS, SystemNanoClock.INSTANCE, new SleepingIdleStrategy(PAUSE_NS));
        back.awaitConnected(CONNECT_NS, SystemNanoClock.INSTANCE, new SleepingIdleStrategy(PAUSE_NS));
        answerer = new PollingThread("echo", idle(), () -> asked.poll(POLL_LIMIT));
    }

    private static FrameValidator validator() {
        return new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
    }

    private static IdleStrategy idle() {
        return new BackoffIdleStrategy(SPINS, YIELDS, LEAST_PARK_NS, MOST_PARK_NS);
    }

    private FrameHandler.Action answer(DirectBuffer buffer, int offset, int length, int templateId, int sessionId) {
        return back.offer(buffer, offset, length) ? FrameHandler.Action.CONTINUE : FrameHandler.Action.ABORT;
    }

    private FrameHandler.Action count(DirectBuffer buffer, int offset, int length, int templateId, int sessionId) {
        returned++;
        return FrameHandler.Action.CONTINUE;
    }

    /**
     * Sends a frame and waits until it returns.
     *
     * @return the round-trip time in seconds
     * @throws IllegalStateException if it does not return
     */
    double ask() {
        IdleStrategy idle = idle();
        long goal = returned + 1;
        long startNs = System.nanoTime();
        int offset = frames.next();
        while (!there.offer(frames.buffer(), offset, frames.length())) {
            idle.idle();
            requireLife(startNs);
        }
        while (returned < goal) {
            idle.idle(answered.poll(POLL_LIMIT));
            requireLife(startNs);
        }
        return (System.nanoTime() - startNs) / NS_PER_S;
    }

    private static void requireLife(long sinceNs) {
        if (System.nanoTime() - sinceNs > PATIENCE_NS) {
            throw new IllegalStateException("a control frame has not returned within 20 s");
        }
    }

    @Override
    public void close() {
        answerer.close();
        CloseHelper.quietCloseAll(near, far);
    }
}
