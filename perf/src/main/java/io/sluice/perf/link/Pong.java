package io.sluice.perf.link;

import io.sluice.messaging.FrameHandler;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import org.agrona.DirectBuffer;

/** Returns every frame directly from the log. */
final class Pong implements Benchmark, FrameHandler {
    private final int framesPerPass;
    private final Patience patience;
    private TestBed.Inlet inlet;
    private TestBed.Outlet outlet;
    private long echoed;

    Pong(int framesPerPass, Patience patience) {
        this.framesPerPass = framesPerPass;
        this.patience = patience;
    }

    void inlet(TestBed.Inlet there) {
        inlet = there;
    }

    void outlet(TestBed.Outlet back) {
        outlet = back;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int sessionId) {
        if (!outlet.offer(buffer, offset, length)) {
            return Action.ABORT;
        }
        echoed++;
        return Action.CONTINUE;
    }

    @Override
    public void pass(Tally tally) {
        long goal = echoed + framesPerPass;
        while (echoed < goal) {
            patience.after(inlet.poll(Receiver.POLL_LIMIT));
        }
    }
}
