package io.sluice.perf.latency;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.perf.nodes.PollingThread;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;

/** Receives all slices on a thread of its own, and records when an urgent one arrives. */
final class UrgencyReceiver implements FrameHandler, AutoCloseable {
    private static final int LIMIT = 32;

    private final Transport transport;
    private final Inbox inbox;
    private final PollingThread thread;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private volatile long frames;
    private volatile int urgentRun = -1;
    private volatile long urgentAtNs;

    UrgencyReceiver(Transport transport, String address) {
        this.transport = transport;
        FrameValidator validator = new FrameValidator(UrgentSlices.CLUSTER, new FrameChecksum());
        inbox = transport.openUdpInbox("urgency", new Endpoint(address, 0), UrgentSlices.STREAM, validator, this);
        thread = new PollingThread(
                "urgency-receiver", new BackoffIdleStrategy(10, 20, 1_000, 50_000), () -> inbox.poll(LIMIT));
    }

    Endpoint endpoint() {
        return inbox.endpoint();
    }

    /** Number of slices of all kinds that have arrived. */
    long frames() {
        thread.requireSound();
        return frames;
    }

    /** Whether the urgent slice of a run has arrived. */
    boolean has(int run) {
        thread.requireSound();
        return urgentRun >= run;
    }

    /** The time at which the last urgent slice arrived. */
    long urgentAtNs() {
        return urgentAtNs;
    }

    @Override
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by one thread
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (Frame.templateId(buffer, offset) == DataDecoder.TEMPLATE_ID) {
            data.wrapAndApplyHeader(buffer, offset, header);
            if (data.table() == UrgentSlices.URGENT) {
                urgentAtNs = System.nanoTime();
                urgentRun = data.slice();
            }
            frames = frames + 1;
        }
        return Action.CONTINUE;
    }

    @Override
    public void close() {
        CloseHelper.closeAll(thread, transport);
    }
}
