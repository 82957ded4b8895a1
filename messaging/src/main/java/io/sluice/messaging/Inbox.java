package io.sluice.messaging;

import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.exceptions.AeronException;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import io.aeron.status.ChannelEndpointStatus;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.RejectionCounts;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.InboxCounters;
import io.sluice.messaging.idle.Bell;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.Long2LongHashMap;

/**
 * The receiving end of a stream: polls it, joins the pieces of long frames, and passes on only valid frames.
 *
 * <p>Any host that reaches the port may send anything. Every frame is validated before the handler gets it; a bad frame
 * is counted by its reason and dropped without affecting other senders. The checksum, which detects damage in transit,
 * is always verified over UDP, and over shared memory only on demand. A frame in one piece is handed over in place in
 * the log, without a copy.
 *
 * <p>One thread polls, and the handler runs on it. The counters may be read from any thread.
 */
public final class Inbox implements AutoCloseable {
    private static final long NOT_DEFERRED = -1;

    /**
     * Number of consumed bytes after which the inbox wakes the driver, which then reports them to the sender. It is a
     * small part of any window.
     */
    private static final int RING_AFTER = 16 << 10;

    private final String label;
    private final FrameValidator validator;
    private final boolean verifying;
    private final FrameHandler handler;
    private final Bell bell;
    private final ErrorHandler errors;
    private final ControlledFragmentHandler fragmentHandler = this::onFragment;
    private final Int2ObjectHashMap<Reassembly> reassemblies = new Int2ObjectHashMap<>();
    private final IntHashSet disconnected = new IntHashSet();
    /** For each session, the end position of the frame that the handler has deferred; it is not validated again. */
    private final Long2LongHashMap deferred = new Long2LongHashMap(NOT_DEFERRED);

    private final RejectionCounts rejections = new RejectionCounts();
    private InboxCounters counters;
    private Subscription subscription;
    private PortClaim claim;
    private RuntimeException failure;
    private Image forged;

    /** Number of images that have become unavailable; only Aeron's conductor thread changes it. */
    private volatile int departures;

    private int departuresSeen;
    private int unrung;

    /**
     * Creates an inbox that is yet to be opened.
     *
     * @param verifying whether the checksum of a frame is verified in addition to all other checks
     * @param bell bell to ring when the driver should report consumed frames to the sender
     * @param errors called for the first frame rejected for each reason that {@linkplain Rejection#isIntrusion is an
     *     intrusion}
     */
    Inbox(
            String label,
            FrameValidator validator,
            boolean verifying,
            FrameHandler handler,
            Bell bell,
            ErrorHandler errors) {
        this.bell = bell;
        this.errors = errors;
        this.label = label;
        this.validator = validator;
        this.verifying = verifying;
        this.handler = handler;
    }

    /** Sets the claim to the endpoint; the inbox releases it when it closes. */
    void claim(PortClaim held) {
        claim = held;
    }

    void opened(Subscription opened, InboxCounters counted) {
        subscription = opened;
        counters = counted;
    }

    /**
     * Called on Aeron's conductor thread, which must not wait, so it only counts; the polling thread compares the
     * count.
     */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void onUnavailableImage(Image image) {
        departures = departures + 1;
    }

    /**
     * Hands waiting frames to the handler.
     *
     * @param limit maximum number of pieces to take; a frame in one piece counts one.
     * @return pieces taken; 0 if nothing was waiting.
     * @throws RuntimeException exception of the handler; the frame that caused it counts as handled.
     */
    public int poll(int limit) {
        if (departures != departuresSeen) {
            forgetDeparted();
        }
        int taken = subscription.controlledPoll(fragmentHandler, limit);
        if (unrung >= RING_AFTER) {
            unrung = 0;
            bell.ringDriver();
        }
        if (forged != null) {
            disconnectForger();
        }
        if (failure != null) {
            RuntimeException thrown = failure;
            failure = null;
            throw thrown;
        }
        return taken;
    }

    /** Makes the driver drop the image of a forger, which the inbox no longer reads. */
    private void disconnectForger() {
        Image image = forged;
        forged = null;
        if (disconnected.add(image.sessionId())) {
            reject(Rejection.BAD_LENGTH);
            try {
                Uninterrupted.run(() -> image.reject("frame length runs past the term"));
            } catch (AeronException e) {
                // the image is already removed
            }
        }
    }

    private void forgetDeparted() {
        departuresSeen = departures;
        disconnected.removeIf(session -> subscription.imageBySessionId(session) == null);
        deferred.keySet().removeIf(session -> subscription.imageBySessionId(session.intValue()) == null);
        reassemblies.keySet().removeIf(session -> subscription.imageBySessionId(session) == null);
    }

    private ControlledFragmentHandler.Action onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        if (failure != null) {
            return ControlledFragmentHandler.Action.ABORT;
        }
        if (!disconnected.isEmpty() && disconnected.contains(header.sessionId())) {
            return ControlledFragmentHandler.Action.BREAK;
        }
        if (length < 0 || length > buffer.capacity() - offset) {
            // Aeron takes the length from the datagram's header as it is: a forged one may run past the term, and what
            // follows would be read from anywhere.
            forged = (Image) header.context();
            return ControlledFragmentHandler.Action.BREAK;
        }
        unrung += length;
        if ((header.flags() & FrameDescriptor.UNFRAGMENTED) == FrameDescriptor.UNFRAGMENTED) {
            return deliver(buffer, offset, length, header);
        }
        return join(buffer, offset, length, header);
    }

    private ControlledFragmentHandler.Action join(DirectBuffer buffer, int offset, int length, Header header) {
        Reassembly reassembly = reassemblies.get(header.sessionId());
        if ((header.flags() & FrameDescriptor.BEGIN_FRAG_FLAG) != 0) {
            if (reassembly == null) {
                reassembly = new Reassembly(Channels.maxFrameLength(buffer.capacity()));
                reassemblies.put(header.sessionId(), reassembly);
            }
            countUnless(reassembly.begin(buffer, offset, length, header.nextTermOffset()));
            return ControlledFragmentHandler.Action.CONTINUE;
        }
        if (reassembly == null || !reassembly.continuesAt(header.termOffset())) {
            // The first piece of this frame was sent before this receiver joined, or never.
            return ControlledFragmentHandler.Action.CONTINUE;
        }
        boolean fits = reassembly.append(buffer, offset, length, header.nextTermOffset());
        countUnless(fits);
        if (!fits || (header.flags() & FrameDescriptor.END_FRAG_FLAG) == 0) {
            return ControlledFragmentHandler.Action.CONTINUE;
        }
        ControlledFragmentHandler.Action action = deliver(reassembly.buffer(), 0, reassembly.length(), header);
        if (action == ControlledFragmentHandler.Action.ABORT) {
            reassembly.unappend(length, header.termOffset());
        } else {
            reassembly.forget();
        }
        return action;
    }

    private void countUnless(boolean fits) {
        if (!fits) {
            reject(Rejection.BAD_LENGTH);
        }
    }

    private ControlledFragmentHandler.Action deliver(DirectBuffer buffer, int offset, int length, Header header) {
        int sessionId = header.sessionId();
        boolean again = !deferred.isEmpty() && isDeferred(header);
        try {
            Rejection rejection = again ? null : validate(buffer, offset, length);
            if (rejection != null) {
                reject(rejection);
                return ControlledFragmentHandler.Action.CONTINUE;
            }
            FrameHandler.Action action =
                    handler.onFrame(buffer, offset, length, Frame.templateId(buffer, offset), sessionId);
            if (action == FrameHandler.Action.ABORT) {
                deferred.put(sessionId, header.position());
                counters.onDeferred();
                return ControlledFragmentHandler.Action.ABORT;
            }
            if (again) {
                deferred.remove(sessionId);
            }
            counters.onHandled(length);
            return ControlledFragmentHandler.Action.CONTINUE;
        } catch (RuntimeException e) {
            // Aeron would pass the exception to its error handler and continue; the polling thread must receive it.
            failure = e;
            return ControlledFragmentHandler.Action.BREAK;
        }
    }

    private Rejection validate(DirectBuffer buffer, int offset, int length) {
        return verifying
                ? validator.validate(buffer, offset, length)
                : validator.validateStructure(buffer, offset, length);
    }

    /** Whether this frame was found valid before and the handler has deferred it. */
    private boolean isDeferred(Header header) {
        return deferred.get(header.sessionId()) == header.position();
    }

    /**
     * Counts a frame that the handler itself has rejected, for a reason that only the cluster's state shows. Call it
     * from the handler.
     *
     * @param rejection the reason.
     */
    public void reject(Rejection rejection) {
        rejections.increment(rejection);
        counters.onRejected(rejection);
        if (rejection.isIntrusion() && rejections.count(rejection) == 1) {
            errors.onError(new MessagingException("inbox " + label + " refused a frame: " + rejection.explanation()
                    + "; further ones are only counted"));
        }
    }

    /** Number of frames handled so far, those that the handler itself rejected included. */
    public long frames() {
        return counters.frames();
    }

    /** Number of bytes of the frames handled so far, without Aeron's headers. */
    public long bytes() {
        return counters.bytes();
    }

    /** Number of times that the handler has deferred a frame. */
    public long deferred() {
        return counters.deferred();
    }

    /** The counters of this inbox, which other processes can read, and to which users of it may add their own. */
    public InboxCounters counters() {
        return counters;
    }

    /** Numbers of dropped frames by reason. */
    public RejectionCounts rejections() {
        return rejections;
    }

    /** Number of senders connected now. */
    public int senders() {
        return subscription.imageCount();
    }

    /**
     * Number of senders that have disconnected so far. It rises a while after a death: Aeron waits for its own
     * timeouts.
     */
    public int departures() {
        return departures;
    }

    /**
     * The address actually bound.
     *
     * @return the endpoint, with its real port if port 0 was requested; null for shared memory or while not bound.
     */
    public Endpoint endpoint() {
        if (subscription.channelStatus() != ChannelEndpointStatus.ACTIVE) {
            return null;
        }
        String resolved = subscription.resolvedEndpoint();
        return resolved == null ? null : Endpoint.parse(resolved);
    }

    /** Whether it was closed, by this process or because the media driver ended. */
    public boolean isClosed() {
        return subscription.isClosed();
    }

    /** The name of this inbox in messages and errors. */
    public String label() {
        return label;
    }

    /** Stops receiving. Closing twice is harmless. */
    @Override
    public void close() {
        subscription.close();
        counters.close();
        if (claim != null) {
            claim.release();
        }
    }

    @Override
    public String toString() {
        return "Inbox{" + label + " frames=" + frames() + " bytes=" + bytes() + " rejected=" + rejections + "}";
    }
}
