package io.sluice.perf.link;

import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Entrant;
import java.util.Objects;
import org.agrona.concurrent.SystemNanoClock;

/** An entry of two threads: thread 0 sends, and thread 1 receives. */
final class LinkEntrant implements Entrant {
    private static final long serialVersionUID = 1L;

    private final LinkTrial trial;
    private transient Contestant receiver;

    LinkEntrant(LinkTrial trial) {
        this.trial = trial;
    }

    LinkTrial trial() {
        return trial;
    }

    @Override
    public String name() {
        return trial.stack().configName() + " " + trial.medium() + " " + trial.frameLength();
    }

    @Override
    public long elements() {
        return trial.framesPerPass();
    }

    @Override
    public int threads() {
        return 2;
    }

    @Override
    public long memory() {
        return (long) SealedFrames.COUNT * trial.frameLength();
    }

    /** Opens the streams with the sender; the receiver is made on the way, since it must be there first. */
    @Override
    public Contestant prepare(int thread) {
        Contestant contestant = thread == 0
                ? sender(new TestBed(trial))
                : Objects.requireNonNull(receiver, "the sender is prepared first");
        return trial.bound() ? new BoundContestant(contestant, thread) : contestant;
    }

    private Contestant sender(TestBed testBed) {
        return switch (trial.mode()) {
            case THROUGHPUT -> flood(testBed);
            case RTT -> pingPong(testBed);
            case OPEN_LOOP -> openLoop(testBed);
        };
    }

    private Contestant flood(TestBed testBed) {
        Arrivals arrivals = new Arrivals(trial.frameLength());
        Inlet inlet = testBed.inlet(TestBed.Way.THERE, arrivals);
        receiver = new FloodReceiver(inlet, arrivals, trial.framesPerPass(), patience("frames to arrive", testBed));
        Outlet outlet = testBed.outlet(TestBed.Way.THERE);
        return new FloodSender(outlet, frames(), trial.framesPerPass(), patience("room in the log", testBed), testBed);
    }

    private Contestant pingPong(TestBed testBed) {
        Pong pong = new Pong(trial.framesPerPass(), patience("a frame to send back", testBed));
        pong.inlet(testBed.inlet(TestBed.Way.THERE, pong));
        receiver = pong;
        Arrivals returns = new Arrivals(trial.frameLength());
        Inlet back = testBed.inlet(TestBed.Way.BACK, returns);
        pong.outlet(testBed.outlet(TestBed.Way.BACK));
        Outlet there = testBed.outlet(TestBed.Way.THERE);
        return new Ping(
                there, back, returns, frames(), trial.framesPerPass(), patience("a frame to return", testBed), testBed);
    }

    private Contestant openLoop(TestBed testBed) {
        DueTimes due = new DueTimes(trial.rate());
        PacedReceiver paced = new PacedReceiver(
                trial.frameLength(),
                due,
                trial.framesPerPass(),
                SystemNanoClock.INSTANCE,
                patience("frames to arrive", testBed));
        paced.inlet(testBed.inlet(TestBed.Way.THERE, paced));
        receiver = paced;
        Outlet outlet = testBed.outlet(TestBed.Way.THERE);
        return new PacedSender(
                outlet,
                frames(),
                due,
                trial.framesPerPass(),
                SystemNanoClock.INSTANCE,
                trial.waiting().strategy(),
                patience("room in the log", testBed),
                testBed);
    }

    private SealedFrames frames() {
        return new SealedFrames(trial.frameLength(), trial.stack().isSealing());
    }

    private Patience patience(String what, TestBed testBed) {
        return new Patience(what, trial.waiting().strategy(), SystemNanoClock.INSTANCE, testBed::failure);
    }
}
