package io.sluice.perf.link;

import io.sluice.messaging.FrameHandler;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Receives until all frames of a pass have arrived, counts them, and checks that each is the next one of {@link
 * NumberedFrames}, and complete. In an open loop it records for each frame the time from its due time to its arrival.
 * For round trips it returns every frame directly from the log.
 */
final class Receiver implements Benchmark, FrameHandler {
    /** Maximum number of pieces of frames of one poll. */
    private static final int POLL_LIMIT = 64;

    private final int frameLength;
    private final DueTimes due;
    private final int framesPerPass;
    private final NanoClock clock;
    private final Patience patience;
    private TestBed.Inlet inlet;
    private TestBed.Outlet back;
    private Tally tally;
    private long frames;
    private long bytes;
    private long before;

    /** Creates a receiver; {@code due} is {@code null} at full speed. */
    Receiver(int frameLength, DueTimes due, int framesPerPass, NanoClock clock, Patience patience) {
        this.frameLength = frameLength;
        this.due = due;
        this.framesPerPass = framesPerPass;
        this.clock = clock;
        this.patience = patience;
    }

    void inlet(TestBed.Inlet there) {
        inlet = there;
    }

    long frames() {
        return frames;
    }

    /** Number of bytes so far, as the transport reported them. */
    long bytes() {
        return bytes;
    }

    /** Returns frames from now on. */
    void returning(TestBed.Outlet outlet) {
        back = outlet;
    }

    /** Processes frames that have arrived; returns the number of pieces polled, of which a frame has one or more. */
    int poll() {
        return inlet.poll(POLL_LIMIT);
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int sessionId) {
        int number = NumberedFrames.number(buffer, offset);
        if (length != frameLength || number != (frames & (NumberedFrames.COUNT - 1))) {
            throw new IllegalStateException("frame " + frames + " has number " + number + " and " + length
                    + " bytes, expected number " + (frames & (NumberedFrames.COUNT - 1)) + " and " + frameLength);
        }
        if (back != null && !back.offer(buffer, offset, length)) {
            return Action.ABORT;
        }
        if (due != null) {
            tally.latency(Math.max(0, clock.nanoTime() - due.of(frames - before)));
        }
        frames++;
        bytes += length;
        return Action.CONTINUE;
    }

    @Override
    public void pass(Tally newTally) {
        tally = newTally;
        before = frames;
        long bytesBefore = bytes;
        long goal = before + framesPerPass;
        while (frames < goal) {
            // A frame has at least one fragment, so this never takes a frame of the next pass.
            patience.after(inlet.poll((int) Math.min(POLL_LIMIT, goal - frames)));
        }
        tally.add(bytes - bytesBefore, 0);
    }
}
