package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.sbe.ChangeDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterRecord.Presence;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.Liveness;
import io.sluice.messaging.Transport;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers and two workers, whose messages the test makes up, agree on who goes and who comes. */
@Timeout(60)
class CrewPollsTest {
    private static final int DRAINED = 1;
    private static final int WORKER = 3;

    private final TestDriver driver = TestDriver.launch();
    private final Transport transport = driver.connect();
    private final ClusterSettings settings =
            TestCluster.terms().servers(2).workers(2).places(2).build();
    private final ControlMessages messages = new ControlMessages();
    private final ControlMessages said = new ControlMessages();
    private final ClusterRecord record = new ClusterRecord();
    private final Members nodes = new Members(
            7,
            settings,
            record,
            messages,
            new Liveness(4, TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(5), HostLoad.QUIET, 0),
            SystemNanoClock.INSTANCE);
    private final CrewPolls polls = new CrewPolls(
            settings,
            nodes,
            new Roster(settings),
            null,
            new Returns(settings, nodes, 0, HostLoad.QUIET),
            messages,
            ControlNetwork.over(transport),
            this::decided);
    private int polled;

    CrewPollsTest() {
        List<Decision.Seat> seats = IntStream.range(0, 4).mapToObj(this::seat).toList();
        record.apply(new Decision.Completed(7, "", "", 2, settings.onDeath(), StartPoint.FRESH, seats));
        nodes.admit(IntStream.range(0, 4).mapToObj(this::candidate).toArray(Candidate[]::new));
        nodes.follow();
    }

    @AfterEach
    void close() {
        transport.close();
        driver.close();
    }

    private Decision.Seat seat(int node) {
        return new Decision.Seat(10 + node, "h:" + node, "h");
    }

    private Candidate candidate(int node) {
        NodeIds ids = settings.nodeIds();
        return Candidate.unreachable(ids.role(node), ids.index(node), seat(node));
    }

    private void decided(Decision decision) {
        boolean effective = record.apply(decision);
        nodes.follow();
        if (decision instanceof Decision.Arrived newcomer) {
            polls.onArrived(newcomer, effective);
        }
    }

    private void say(int node, ChangeStage stage, int about, boolean joins, long clock) {
        said.change(stage, polled, about, joins, clock);
        polls.onChange(node, new ChangeDecoder().wrapAndApplyHeader(said.buffer(), 0, new MessageHeaderDecoder()));
    }

    /** A node asks, all answer with a clock, and the two servers say that they are past it. */
    private void change(int node, boolean joins, long clock) {
        say(node, ChangeStage.ASKED, node, joins, 0);
        polls.work(0);
        polled++;
        for (int each = 0; each < nodes.size(); each++) {
            say(each, ChangeStage.ANSWERED, each, false, clock);
        }
        polls.work(0);
        say(0, ChangeStage.PASSED, 0, false, clock);
        say(1, ChangeStage.PASSED, 1, false, clock);
    }

    private void leave(int node, long clock) {
        decided(new Decision.Left(node, nodes.life(node), clock, polls.isDone(node)));
        polls.onLeave(node);
    }

    @Test
    void aNewcomerInTheFormerPlaceOfAWorkerDoesNotKeepADrainedServer() {
        change(WORKER, false, 5);
        leave(WORKER, 4);
        assertEquals(Presence.VACANT, nodes.get(WORKER).presence);
        polls.arrive(candidate(WORKER));
        assertEquals(Presence.HERE, nodes.get(WORKER).presence);

        change(DRAINED, false, 8); // while the newcomer prepares itself, for however long
        assertTrue(polls.mayLeave(DRAINED), "the server has to stay");
    }

    @Test
    void aWorkerThatIsAboutToGoKeepsADrainedServerUntilItHasLeft() {
        change(WORKER, false, 5);
        change(DRAINED, false, 8);
        assertFalse(polls.mayLeave(DRAINED));
        leave(WORKER, 4);
        assertTrue(polls.mayLeave(DRAINED));
    }

    @Test
    void aNewcomerThatGoesAgainKeepsADrainedServerLikeAnyOther() {
        change(WORKER, false, 5);
        leave(WORKER, 4);
        polls.arrive(candidate(WORKER));
        change(WORKER, true, 7);
        change(WORKER, false, 9);
        change(DRAINED, false, 12);
        assertFalse(polls.mayLeave(DRAINED));
        leave(WORKER, 8);
        assertTrue(polls.mayLeave(DRAINED));
    }
}
