package io.sluice.perf.link;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * Sends the frames of a pass as fast as the log accepts them. With due times, it sends no frame before it is due, and
 * skips none. With a receiver, it sends a frame once the previous one has returned, and records the round-trip times.
 * Closes the streams of both ends.
 */
final class Sender implements Benchmark {
    /** Time until the first frame is due, in which the receiver becomes ready. */
    private static final long LEAD_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final TestBed.Outlet outlet;
    private final NumberedFrames frames;
    private final int framesPerPass;
    private final Patience patience;
    private final AutoCloseable streams;
    private DueTimes due;
    private NanoClock clock;
    private IdleStrategy idle;
    private Receiver returns;

    Sender(TestBed.Outlet outlet, NumberedFrames frames, int framesPerPass, Patience patience, AutoCloseable streams) {
        this.outlet = outlet;
        this.frames = frames;
        this.framesPerPass = framesPerPass;
        this.patience = patience;
        this.streams = streams;
    }

    /** Sends frames when they are due, or as fast as possible without times. */
    Sender paced(DueTimes times, NanoClock by, IdleStrategy meanwhile) {
        due = times;
        clock = by;
        idle = meanwhile;
        return this;
    }

    /** Waits for the return of each frame. */
    Sender awaiting(Receiver receiver) {
        returns = receiver;
        return this;
    }

    @Override
    public void pass(Tally tally) {
        if (due != null) {
            due.begin(clock.nanoTime() + LEAD_NS);
        }
        for (int i = 0; i < framesPerPass; i++) {
            if (due != null) {
                await(i);
            }
            long startNs = returns == null ? 0 : System.nanoTime();
            send();
            if (returns == null) {
                patience.after(1);
            } else {
                long goal = returns.frames() + 1;
                while (returns.frames() < goal) {
                    patience.after(returns.poll());
                }
                tally.latency(System.nanoTime() - startNs);
            }
        }
        tally.add(0, framesPerPass);
    }

    private void await(int frame) {
        while (clock.nanoTime() < due.of(frame)) {
            idle.idle();
        }
        idle.reset();
    }

    private void send() {
        int offset = frames.next();
        while (!outlet.offer(frames.buffer(), offset, frames.length())) {
            patience.after(0);
        }
    }

    @Override
    public void close() {
        CloseHelper.close(streams);
    }
}
