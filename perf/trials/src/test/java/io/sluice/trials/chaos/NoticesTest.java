package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class NoticesTest {
    private static final String AWAITED = "worker 1 was silent for 2612 ms, where 2500 ms are allowed, and was declared"
            + " dead; it had reached clock 17; the cluster waits for it";
    private static final String BACK = "worker 1 is back after 900 ms and continues from clock 10";
    private static final String ABSENT = "the coordinator at localhost:40100 has been silent for 2612 ms, where 2500 ms"
            + " are allowed; waiting up to 60 s for it or another leader of the coordinators at a, b, c, of which 2"
            + " must be running; training continues until a decision of a leader is needed";

    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5);
    private final Notices notices = new Notices(nowNs::get);

    private long later() {
        return nowNs.addAndGet(10);
    }

    private void say(String sentence) {
        later();
        notices.accept(sentence);
    }

    @Test
    void hasNoNoticeAtFirst() {
        assertFalse(notices.haveReported(later()));
    }

    @Test
    void anAwaitedNodeIsANotice() {
        long deathNs = later();
        say(AWAITED);
        assertTrue(notices.haveReported(deathNs));
        assertEquals(nowNs.get(), notices.lastNs());
    }

    @Test
    void aRejoinDoesNotUndoTheNoticeOfADeath() {
        long deathNs = later();
        say(AWAITED);
        say(BACK);
        assertTrue(notices.haveReported(deathNs));
        assertFalse(notices.haveReported(later()));
    }

    @Test
    void aNodeThatIsAwaitedAlreadyNeedsNoFurtherNotice() {
        say(AWAITED);
        assertTrue(notices.haveReported(later()));
        say("server 1 is back after 900 ms and continues from the beginning");
        assertTrue(notices.haveReported(later()));
    }

    @Test
    void aRestartedJobAwaitsNoNode() {
        say(AWAITED);
        notices.restart();
        assertFalse(notices.haveReported(later()));
    }

    @Test
    void aMissingCoordinatorIsANotice() {
        long deathNs = later();
        say(ABSENT);
        assertTrue(notices.haveReported(deathNs));
        assertFalse(notices.haveReported(later()));
    }

    @Test
    void otherNotesAreNoNotice() {
        long deathNs = later();
        say("worker 1 refuses frames: the cluster waits for it, or not");
        say("the coordinator at localhost:40100 leads now; there was none for 4000 ms");
        assertFalse(notices.haveReported(deathNs));
    }
}
