package io.sluice.perf.link;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;

/** Sends a frame, waits until it is back, and records how long that took. */
final class Ping implements Benchmark {
    private final Outlet there;
    private final Inlet back;
    private final Arrivals returns;
    private final SealedFrames frames;
    private final int framesPerPass;
    private final Patience patience;
    private final TestBed testBed;

    Ping(
            Outlet there,
            Inlet back,
            Arrivals returns,
            SealedFrames frames,
            int framesPerPass,
            Patience patience,
            TestBed testBed) {
        this.there = there;
        this.back = back;
        this.returns = returns;
        this.frames = frames;
        this.framesPerPass = framesPerPass;
        this.patience = patience;
        this.testBed = testBed;
    }

    @Override
    public void pass(Tally tally) {
        long before = returns.bytes();
        for (int i = 0; i < framesPerPass; i++) {
            long goal = returns.frames() + 1;
            long startNs = System.nanoTime();
            int offset = frames.next();
            while (!there.offer(frames.buffer(), offset, frames.length())) {
                patience.after(0);
            }
            while (returns.frames() < goal) {
                patience.after(back.poll(FloodReceiver.POLL_LIMIT));
            }
            tally.latency(System.nanoTime() - startNs);
        }
        tally.add(returns.bytes() - before, framesPerPass);
    }

    @Override
    public void close() {
        testBed.close();
    }
}
