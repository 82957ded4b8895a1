package io.sluice.perf.link;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** Sends each frame when it is due, or as soon after as the log takes it; leaves none out. */
final class PacedSender implements Benchmark {
    /** The receiver has to get ready, too. */
    private static final long LEAD_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Outlet outlet;
    private final SealedFrames frames;
    private final DueTimes due;
    private final int framesPerPass;
    private final NanoClock clock;
    private final IdleStrategy idle;
    private final Patience patience;
    private final TestBed testBed;

    PacedSender(
            Outlet outlet,
            SealedFrames frames,
            DueTimes due,
            int framesPerPass,
            NanoClock clock,
            IdleStrategy idle,
            Patience patience,
            TestBed testBed) {
        this.outlet = outlet;
        this.frames = frames;
        this.due = due;
        this.framesPerPass = framesPerPass;
        this.clock = clock;
        this.idle = idle;
        this.patience = patience;
        this.testBed = testBed;
    }

    @Override
    public void pass(Tally tally) {
        due.begin(clock.nanoTime() + LEAD_NS);
        for (int i = 0; i < framesPerPass; i++) {
            while (clock.nanoTime() < due.of(i)) {
                idle.idle();
            }
            idle.reset();
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
