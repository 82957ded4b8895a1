package io.sluice.perf.link;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;

/** Sends as fast as the log takes frames. */
final class FloodSender implements Benchmark {
    private final Outlet outlet;
    private final SealedFrames frames;
    private final int framesPerPass;
    private final Patience patience;
    private final TestBed testBed;

    FloodSender(Outlet outlet, SealedFrames frames, int framesPerPass, Patience patience, TestBed testBed) {
        this.outlet = outlet;
        this.frames = frames;
        this.framesPerPass = framesPerPass;
        this.patience = patience;
        this.testBed = testBed;
    }

    @Override
    public void pass(Tally tally) {
        for (int i = 0; i < framesPerPass; i++) {
            int offset = frames.next();
            while (!outlet.offer(frames.buffer(), offset, frames.length())) {
                patience.after(0);
            }
            patience.after(1);
        }
        tally.add(0, framesPerPass);
    }

    @Override
    public void close() {
        testBed.close();
    }
}
