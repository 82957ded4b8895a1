package io.sluice.perf.link;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.BenchmarkSpec;
import io.sluice.perf.experiment.Parameter;
import java.util.List;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * One measurement: a messaging stack, a medium and a frame length. One thread sends and a second receives.
 *
 * @param rate   frames per second of an open loop
 * @param bound  whether sender and receiver are each pinned to a core; must be false in a JVM that does other work
 * @param stream id of the forward stream; the return stream has the next id
 */
record LinkSpec(
        Mode mode,
        Medium medium,
        int frameLength,
        LinkStack stack,
        int framesPerPass,
        double rate,
        Waiting waiting,
        boolean bound,
        int stream,
        String driver)
        implements BenchmarkSpec {
    /** The kind of measurement. */
    enum Mode {
        /** Measures frames at full speed. */
        THROUGHPUT,
        /** Measures round trips of one frame at a time. */
        RTT,
        /** Measures frames that are sent at a fixed rate, whether or not earlier frames have arrived. */
        OPEN_LOOP;

        boolean recordsLatencies() {
            return this != THROUGHPUT;
        }
    }

    /** The medium of the frames: shared memory, or UDP over the loopback interface. */
    enum Medium {
        IPC,
        UDP;

        /** Number of Aeron logs that one stream needs on this host. */
        int logs() {
            return this == IPC ? 1 : 2;
        }
    }

    /** Idle strategies of sender and receiver; the same for every stack. */
    enum Waiting {
        /** Yields the core and polls again. */
        YIELD,
        /** Spins, yields, then sleeps for increasing times, as the nodes of a cluster do. */
        BACKOFF,
        /** Polls again at once, without yielding the core. */
        SPIN;

        IdleStrategy strategy() {
            return switch (this) {
                case YIELD -> new YieldingIdleStrategy();
                case BACKOFF -> new BackoffIdleStrategy(10, 20, 1_000, 100_000);
                case SPIN -> new BusySpinIdleStrategy();
            };
        }
    }

    @Override
    public String name() {
        return stack.configName() + " " + Parameter.word(medium) + " " + frameLength;
    }

    @Override
    public long elements() {
        return framesPerPass;
    }

    @Override
    public long memory() {
        return (long) NumberedFrames.COUNT * frameLength;
    }

    @Override
    public List<Benchmark> prepare() {
        TestBed testBed = new TestBed(this);
        return mode == Mode.RTT ? pingPong(testBed) : oneWay(testBed);
    }

    @Override
    public void attach(int thread) {
        if (bound) {
            CoreAffinity.bind(thread);
        }
    }

    private List<Benchmark> oneWay(TestBed testBed) {
        DueTimes due = mode == Mode.OPEN_LOOP ? new DueTimes(rate) : null;
        Receiver receiver = receiver(due, testBed);
        Sender sender = sender("room in the log", testBed);
        return List.of(sender.paced(due, SystemNanoClock.INSTANCE, waiting.strategy()), receiver);
    }

    private List<Benchmark> pingPong(TestBed testBed) {
        Receiver far = receiver(null, testBed);
        Receiver returns = new Receiver(frameLength, null, framesPerPass, SystemNanoClock.INSTANCE, null);
        returns.inlet(testBed.inlet(TestBed.Direction.BACKWARD, returns));
        far.returning(testBed.outlet(TestBed.Direction.BACKWARD));
        return List.of(sender("a frame to return", testBed).awaiting(returns), far);
    }

    private Receiver receiver(DueTimes due, TestBed testBed) {
        Receiver receiver = new Receiver(
                frameLength, due, framesPerPass, SystemNanoClock.INSTANCE, patience("frames to arrive", testBed));
        receiver.inlet(testBed.inlet(TestBed.Direction.FORWARD, receiver));
        return receiver;
    }

    private Sender sender(String awaited, TestBed testBed) {
        TestBed.Outlet outlet = testBed.outlet(TestBed.Direction.FORWARD);
        NumberedFrames frames = new NumberedFrames(frameLength, stack.addsChecksum());
        return new Sender(outlet, frames, framesPerPass, patience(awaited, testBed), testBed);
    }

    private Patience patience(String what, TestBed testBed) {
        return new Patience(what, waiting.strategy(), SystemNanoClock.INSTANCE, testBed::failure);
    }
}
