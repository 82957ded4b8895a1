package io.sluice.perf.link;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.BenchmarkSpec;
import io.sluice.perf.benchmark.Tally;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A stack on one medium with frames of one length: two threads, the first sends and the second receives.
 *
 * @param mode what is measured
 * @param medium medium that carries the frames
 * @param frameLength length of every frame, in bytes
 * @param stack stack that sends and receives
 * @param framesPerPass frames of one pass
 * @param rate frames per second of an open loop
 * @param waiting idle strategy of sender and receiver
 * @param bound whether sender and receiver are bound to a core each; never in a JVM that runs other work
 * @param stream id of the forward stream; the return stream has the next id
 * @param driver directory of the media driver
 */
record LinkSpec(
        LinkMode mode,
        LinkMedium medium,
        int frameLength,
        LinkStack stack,
        int framesPerPass,
        double rate,
        Waiting waiting,
        boolean bound,
        int stream,
        String driver)
        implements BenchmarkSpec {
    Path driverDirectory() {
        return Path.of(driver);
    }

    @Override
    public String name() {
        return stack.configName() + " " + medium + " " + frameLength;
    }

    @Override
    public long elements() {
        return framesPerPass;
    }

    @Override
    public long memory() {
        return (long) SealedFrames.COUNT * frameLength;
    }

    @Override
    public List<Benchmark> prepare() {
        TestBed testBed = new TestBed(this);
        List<Benchmark> ends = switch (mode) {
            case THROUGHPUT -> flood(testBed);
            case RTT -> pingPong(testBed);
            case OPEN_LOOP -> openLoop(testBed);
        };
        return bound ? List.of(new Bound(ends.get(0), 0), new Bound(ends.get(1), 1)) : ends;
    }

    private List<Benchmark> flood(TestBed testBed) {
        Receiver receiver = receiver(null, testBed);
        Outlet outlet = testBed.outlet(TestBed.Direction.FORWARD);
        Patience patience = patience("room in the log", testBed);
        return List.of(new FloodSender(outlet, frames(), framesPerPass, patience, testBed), receiver);
    }

    private Receiver receiver(DueTimes due, TestBed testBed) {
        Receiver receiver = new Receiver(
                frameLength, due, framesPerPass, SystemNanoClock.INSTANCE, patience("frames to arrive", testBed));
        receiver.inlet(testBed.inlet(TestBed.Direction.FORWARD, receiver));
        return receiver;
    }

    private List<Benchmark> pingPong(TestBed testBed) {
        Pong pong = new Pong(framesPerPass, patience("a frame to send back", testBed));
        pong.inlet(testBed.inlet(TestBed.Direction.FORWARD, pong));
        Arrivals returns = new Arrivals(frameLength);
        Inlet back = testBed.inlet(TestBed.Direction.BACKWARD, returns);
        pong.outlet(testBed.outlet(TestBed.Direction.BACKWARD));
        Outlet there = testBed.outlet(TestBed.Direction.FORWARD);
        Patience patience = patience("a frame to return", testBed);
        return List.of(new Ping(there, back, returns, frames(), framesPerPass, patience, testBed), pong);
    }

    private List<Benchmark> openLoop(TestBed testBed) {
        DueTimes due = new DueTimes(rate);
        Receiver receiver = receiver(due, testBed);
        PacedSender sender = new PacedSender(
                testBed.outlet(TestBed.Direction.FORWARD),
                frames(),
                due,
                framesPerPass,
                SystemNanoClock.INSTANCE,
                waiting.strategy(),
                patience("room in the log", testBed),
                testBed);
        return List.of(sender, receiver);
    }

    private SealedFrames frames() {
        return new SealedFrames(frameLength, stack.isSealing());
    }

    private Patience patience(String what, TestBed testBed) {
        return new Patience(what, waiting.strategy(), SystemNanoClock.INSTANCE, testBed::failure);
    }

    /** A benchmark whose thread binds itself to a core, see {@link CoreAffinity#bind}. */
    private record Bound(Benchmark benchmark, int core) implements Benchmark {
        @Override
        public void attach() {
            CoreAffinity.bind(core);
            benchmark.attach();
        }

        @Override
        public void pass(Tally tally) {
            benchmark.pass(tally);
        }

        @Override
        public void close() {
            benchmark.close();
        }
    }
}
