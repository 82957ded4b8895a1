package io.sluice.perf.link;

import io.sluice.perf.benchmark.Benchmark;

/** Sends the frames of a pass; closes the streams of both ends. */
abstract class Sender implements Benchmark {
    /** Frames of one pass. */
    protected final int framesPerPass;

    /** Waits for the log, and for answers. */
    protected final Patience patience;

    private final Outlet outlet;
    private final SealedFrames frames;
    private final TestBed testBed;

    Sender(Outlet outlet, SealedFrames frames, int framesPerPass, Patience patience, TestBed testBed) {
        this.outlet = outlet;
        this.frames = frames;
        this.framesPerPass = framesPerPass;
        this.patience = patience;
        this.testBed = testBed;
    }

    /** Sends the next frame as soon as the log accepts it. */
    protected final void send() {
        int offset = frames.next();
        while (!outlet.offer(frames.buffer(), offset, frames.length())) {
            patience.after(0);
        }
    }

    @Override
    public void close() {
        testBed.close();
    }
}
