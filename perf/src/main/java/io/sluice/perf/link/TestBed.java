package io.sluice.perf.link;

import io.aeron.ControlledFragmentAssembler;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.Header;
import io.aeron.status.ChannelEndpointStatus;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.messaging.Channels;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Routes;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.ChannelSettings;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The streams between the two ends of a trial, in both directions, on the channels that Sluice uses: URIs, term
 * lengths, MTU, window and socket buffers are the same for every stack.
 */
final class TestBed implements AutoCloseable {
    private static final Endpoint LOOPBACK = new Endpoint("127.0.0.1", 0);
    /**
     * Liveness time: longer than the wait of {@link Patience}, because a thread that is delayed on a busy machine must
     * not count as dead.
     */
    static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(30);

    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LinkSpec trial;
    private final Transport transport;
    private final Channels channels;
    private final Endpoint[] endpoints = new Endpoint[2];

    /** The receiving end of a stream, of any stack. It passes frames to a handler. */
    @FunctionalInterface
    interface Inlet {
        /** Polls up to {@code limit} pieces of frames; returns their number. */
        int poll(int limit);
    }

    /** The sending end of a stream, of any stack. */
    @FunctionalInterface
    interface Outlet {
        /** Offers a frame; returns whether the log accepted it. */
        boolean offer(DirectBuffer buffer, int offset, int length);
    }

    /** Directions of a stream. */
    enum Direction {
        FORWARD,
        BACKWARD
    }

    TestBed(LinkSpec trial) {
        this.trial = trial;
        transport = Transport.connect(
                new Transport.Context().directory(Path.of(trial.driver())).driverTimeoutNs(LIVENESS_NS));
        channels = transport.channels();
    }

    /** Opens the receiving end of a direction, before its sending end. */
    Inlet inlet(Direction direction, FrameHandler handler) {
        return trial.stack().isOurs() ? inbox(direction, handler)::poll : rawInlet(direction, handler);
    }

    private Inbox inbox(Direction direction, FrameHandler handler) {
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
        if (trial.medium() == LinkSpec.Medium.IPC) {
            return transport.openIpcInbox(direction.name(), stream(direction), validator, handler);
        }
        Inbox inbox = transport.openUdpInbox(direction.name(), LOOPBACK, stream(direction), validator, handler);
        endpoints[direction.ordinal()] = inbox.endpoint();
        return inbox;
    }

    private Inlet rawInlet(Direction direction, FrameHandler handler) {
        String channel = channels.ipc();
        if (trial.medium() == LinkSpec.Medium.UDP) {
            endpoints[direction.ordinal()] = LOOPBACK.withPort(Routes.freePort(LOOPBACK));
            channel = channels.udpAt(endpoints[direction.ordinal()]);
        }
        Subscription subscription = transport.aeron().addSubscription(channel, stream(direction));
        until("a subscription", () -> subscription.channelStatus() == ChannelEndpointStatus.ACTIVE);
        FrameChecksum checksum = trial.stack().isVerifying() ? new FrameChecksum() : null;
        boolean inPieces = trial.frameLength() > longestInOnePiece();
        return new RawInlet(subscription, handler, checksum, inPieces);
    }

    private int longestInOnePiece() {
        int mtu = trial.medium() == LinkSpec.Medium.IPC ? ChannelSettings.MAX_MTU : channels.mtuTowards(LOOPBACK);
        return Channels.maxUnfragmentedLength(mtu);
    }

    /** Opens the sending end of a direction and waits for the receiving end. */
    Outlet outlet(Direction direction) {
        String channel =
                trial.medium() == LinkSpec.Medium.IPC ? channels.ipc() : channels.udpTo(endpoints[direction.ordinal()]);
        if (trial.stack().isOurs()) {
            Link link = transport.openLink(direction.name(), channel, stream(direction));
            link.awaitConnected(Patience.LIMIT_NS, SystemNanoClock.INSTANCE, new SleepingIdleStrategy(PAUSE_NS));
            return link::offer;
        }
        ExclusivePublication publication = transport.aeron().addExclusivePublication(channel, stream(direction));
        until("a subscriber", publication::isConnected);
        return (buffer, offset, length) -> {
            long position = publication.offer(buffer, offset, length);
            if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
                throw new IllegalStateException("the publication on " + channel
                        + " is closed or has reached its last position: offer returned " + position);
            }
            return position > 0;
        };
    }

    private int stream(Direction direction) {
        return trial.stream() + direction.ordinal();
    }

    /** The reason why streams have ended unexpectedly; {@code null} if they have not. */
    RuntimeException failure() {
        return transport.failure();
    }

    private void until(String what, BooleanSupplier condition) {
        Patience patience =
                new Patience(what, new SleepingIdleStrategy(PAUSE_NS), SystemNanoClock.INSTANCE, this::failure);
        while (!condition.getAsBoolean()) {
            patience.after(0);
        }
    }

    @Override
    public void close() {
        transport.close();
    }

    /** Aeron's subscription, polled as an Aeron user would: with Aeron's own assembler only for fragmented frames. */
    private static final class RawInlet implements Inlet {
        private final Subscription subscription;
        private final FrameHandler handler;
        private final FrameChecksum checksum;
        private final ControlledFragmentHandler fragmentHandler;
        private RuntimeException failure;

        /** Creates an inlet, with a checksum to verify frames with or {@code null}; the template id is always 0. */
        RawInlet(Subscription subscription, FrameHandler handler, FrameChecksum checksum, boolean inPieces) {
            this.subscription = subscription;
            this.handler = handler;
            this.checksum = checksum;
            fragmentHandler = inPieces ? new ControlledFragmentAssembler(this::onFrame) : this::onFrame;
        }

        @Override
        public int poll(int limit) {
            int taken = subscription.controlledPoll(fragmentHandler, limit);
            if (failure != null) {
                throw failure;
            }
            return taken;
        }

        private ControlledFragmentHandler.Action onFrame(DirectBuffer buffer, int offset, int length, Header header) {
            try {
                if (checksum != null && !checksum.verify(buffer, offset, length)) {
                    throw new IllegalStateException("a frame of " + length + " bytes has a wrong checksum");
                }
                return handler.onFrame(buffer, offset, length, 0, header.sessionId()) == FrameHandler.Action.CONTINUE
                        ? ControlledFragmentHandler.Action.CONTINUE
                        : ControlledFragmentHandler.Action.ABORT;
            } catch (RuntimeException e) {
                // Aeron would pass the exception to its error handler and continue.
                failure = e;
                return ControlledFragmentHandler.Action.BREAK;
            }
        }
    }
}
