package io.sluice.perf.link;

import io.sluice.messaging.FrameHandler;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Receives until all frames of a pass have arrived, and counts the bytes received. In an open loop it records for each
 * frame the time from its due time to its arrival.
 */
final class Receiver implements Benchmark, FrameHandler {
    /** Maximum number of fragments of one poll. */
    static final int POLL_LIMIT = 64;

    private final Arrivals arrivals;
    private final DueTimes due;
    private final int framesPerPass;
    private final NanoClock clock;
    private final Patience patience;
    private Inlet inlet;
    private Tally tally;
    private long before;

    /**
     * Creates a receiver.
     *
     * @param due due times of frames; {@code null} for full speed
     */
    Receiver(int frameLength, DueTimes due, int framesPerPass, NanoClock clock, Patience patience) {
        this.arrivals = new Arrivals(frameLength);
        this.due = due;
        this.framesPerPass = framesPerPass;
        this.clock = clock;
        this.patience = patience;
    }

    void inlet(Inlet there) {
        inlet = there;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int sessionId) {
        long frame = arrivals.frames() - before;
        Action action = arrivals.onFrame(buffer, offset, length, templateId, sessionId);
        if (due != null) {
            tally.latency(Math.max(0, clock.nanoTime() - due.of(frame)));
        }
        return action;
    }

    @Override
    public void pass(Tally newTally) {
        tally = newTally;
        before = arrivals.frames();
        long bytesBefore = arrivals.bytes();
        long goal = before + framesPerPass;
        while (arrivals.frames() < goal) {
            // A frame has at least one fragment, so this never takes a frame of the next pass.
            patience.after(inlet.poll((int) Math.min(POLL_LIMIT, goal - arrivals.frames())));
        }
        tally.add(arrivals.bytes() - bytesBefore, 0);
    }
}
