package io.sluice.perf.link;

import io.sluice.perf.benchmark.Tally;

/** Sends as fast as the log accepts frames. */
final class FloodSender extends Sender {
    FloodSender(Outlet outlet, SealedFrames frames, int framesPerPass, Patience patience, TestBed testBed) {
        super(outlet, frames, framesPerPass, patience, testBed);
    }

    @Override
    public void pass(Tally tally) {
        for (int i = 0; i < framesPerPass; i++) {
            send();
            patience.after(1);
        }
        tally.add(0, framesPerPass);
    }
}
