package io.sluice.perf.link;

import io.sluice.perf.benchmark.Tally;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** Sends each frame when it is due, or as soon after as the log accepts it; skips none. */
final class PacedSender extends Sender {
    /** The first frame is due later, because the receiver also has to become ready. */
    private static final long LEAD_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final DueTimes due;
    private final NanoClock clock;
    private final IdleStrategy idle;

    PacedSender(
            Outlet outlet,
            SealedFrames frames,
            DueTimes due,
            int framesPerPass,
            NanoClock clock,
            IdleStrategy idle,
            Patience patience,
            TestBed testBed) {
        super(outlet, frames, framesPerPass, patience, testBed);
        this.due = due;
        this.clock = clock;
        this.idle = idle;
    }

    @Override
    public void pass(Tally tally) {
        due.begin(clock.nanoTime() + LEAD_NS);
        for (int i = 0; i < framesPerPass; i++) {
            while (clock.nanoTime() < due.of(i)) {
                idle.idle();
            }
            idle.reset();
            send();
            patience.after(1);
        }
        tally.add(0, framesPerPass);
    }
}
