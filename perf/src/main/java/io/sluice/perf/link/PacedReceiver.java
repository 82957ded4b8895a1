package io.sluice.perf.link;

import io.sluice.messaging.FrameHandler;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/** Records how long after it was due each frame arrives. */
final class PacedReceiver implements Benchmark, FrameHandler {
    private final Arrivals arrivals;
    private final DueTimes due;
    private final int framesPerPass;
    private final NanoClock clock;
    private final Patience patience;
    private Inlet inlet;
    private Tally tally;
    private long before;

    PacedReceiver(int frameLength, DueTimes due, int framesPerPass, NanoClock clock, Patience patience) {
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
        tally.latency(Math.max(0, clock.nanoTime() - due.of(frame)));
        return action;
    }

    @Override
    public void pass(Tally told) {
        tally = told;
        before = arrivals.frames();
        long bytesBefore = arrivals.bytes();
        long goal = before + framesPerPass;
        while (arrivals.frames() < goal) {
            patience.after(inlet.poll((int) Math.min(FloodReceiver.POLL_LIMIT, goal - arrivals.frames())));
        }
        tally.add(arrivals.bytes() - bytesBefore, 0);
    }
}
