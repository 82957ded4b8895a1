package io.sluice.perf.link;

import io.sluice.messaging.FrameHandler;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Receives until all frames of a pass are there; its bytes are those that really arrived. In an open loop it records
 * how long after it was due each frame arrives.
 */
final class Receiver implements Benchmark, FrameHandler {
    /** Most pieces of one poll. */
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
     * Makes one.
     *
     * @param due when frames are to be sent; {@code null} if as fast as the log takes them
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
    public void pass(Tally told) {
        tally = told;
        before = arrivals.frames();
        long bytesBefore = arrivals.bytes();
        long goal = before + framesPerPass;
        while (arrivals.frames() < goal) {
            // A frame is a piece or more, so this never takes one of the next pass.
            patience.after(inlet.poll((int) Math.min(POLL_LIMIT, goal - arrivals.frames())));
        }
        tally.add(arrivals.bytes() - bytesBefore, 0);
    }
}
