package io.sluice.perf.link;

import io.sluice.perf.benchmark.Tally;

/** Sends a frame, waits until it returns, and records the round-trip time. */
final class Ping extends Sender {
    private final Inlet back;
    private final Arrivals returns;

    Ping(
            Outlet there,
            Inlet back,
            Arrivals returns,
            SealedFrames frames,
            int framesPerPass,
            Patience patience,
            TestBed testBed) {
        super(there, frames, framesPerPass, patience, testBed);
        this.back = back;
        this.returns = returns;
    }

    @Override
    public void pass(Tally tally) {
        long before = returns.bytes();
        for (int i = 0; i < framesPerPass; i++) {
            long goal = returns.frames() + 1;
            long startNs = System.nanoTime();
            send();
            while (returns.frames() < goal) {
                patience.after(back.poll(Receiver.POLL_LIMIT));
            }
            tally.latency(System.nanoTime() - startNs);
        }
        tally.add(returns.bytes() - before, framesPerPass);
    }
}
