package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node opens sealed frames of current incarnations only. */
class SealingTest {
    private static final long CLUSTER = 7;
    private static final int SENDER = 1;

    private final KeySchedule schedule = new KeySchedule(ClusterSecret.of(new byte[32]));
    private final List<Rejection> rejected = new ArrayList<>();

    /** Jobs that replace no node drop the frame: it must be forged, and deferring it would block its stream. */
    @ParameterizedTest
    @CsvSource({"FAIL, CONTINUE, 1", "SHRINK, CONTINUE, 1", "WAIT, ABORT, 0"})
    void aFrameOfALaterIncarnationWaitsOnlyWhereThereCanBeOne(DeathPolicy onDeath, Action action, int dropped) {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(1)
                .onDeath(onDeath)
                .seal(true)
                .build();
        EventLog log = new EventLog();
        List<Event.Seat> seats = IntStream.range(0, 2)
                .mapToObj(node -> new Event.Seat(10 + node, "127.0.0.1:" + (node + 1), "host"))
                .toList();
        log.apply(new Event.Completed(new Event.Job(CLUSTER, "", "", 1, onDeath, StartPoint.FRESH), seats));
        List<Place> places = log.state().places();
        ClusterPlan plan = new ClusterPlan(CLUSTER, 0, settings, places, StartPoint.FRESH);
        SenderSeals own = new SenderSeals(schedule.sender(CLUSTER, 0, 0, 10));
        Sealing sealing = Sealing.of(schedule, plan, 0, own, log::state);
        FrameHandler handler =
                sealing.opening((buffer, offset, length, template, session) -> Action.CONTINUE, rejected::add);
        assertEquals(Action.CONTINUE, send(handler, settings, places, 0));
        assertEquals(List.of(), rejected);
        assertEquals(action, send(handler, settings, places, 1));
        assertEquals(dropped, rejected.size());
    }

    private Action send(FrameHandler handler, ClusterSettings settings, List<Place> places, int epoch) {
        ClusterPlan plan = new ClusterPlan(CLUSTER, epoch, settings, places, StartPoint.FRESH);
        FrameSeal seal = new SenderSeals(schedule.sender(CLUSTER, epoch, SENDER, 11)).newSeal();
        FrameBuffer frame = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
        int length = new FrameWriter(plan, SENDER, null, seal).to(0).pull(frame.buffer(), 0, 1);
        return handler.onFrame(frame.buffer(), 0, length, 4, 1);
    }
}
