package io.sluice.perf.link;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;

/** Receives until all frames of a pass are there; its bytes are those that really arrived. */
final class FloodReceiver implements Benchmark {
    /** Most pieces of one poll. */
    static final int POLL_LIMIT = 64;

    private final Inlet inlet;
    private final Arrivals arrivals;
    private final int framesPerPass;
    private final Patience patience;

    FloodReceiver(Inlet inlet, Arrivals arrivals, int framesPerPass, Patience patience) {
        this.inlet = inlet;
        this.arrivals = arrivals;
        this.framesPerPass = framesPerPass;
        this.patience = patience;
    }

    @Override
    public void pass(Tally tally) {
        long before = arrivals.bytes();
        long goal = arrivals.frames() + framesPerPass;
        while (arrivals.frames() < goal) {
            // A frame is a piece or more, so this never takes one of the next pass.
            patience.after(inlet.poll((int) Math.min(POLL_LIMIT, goal - arrivals.frames())));
        }
        tally.add(arrivals.bytes() - before, 0);
    }
}
