package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutgoingHopsTest {
    private static final Hop FAR = new Hop(0, List.of(1), false, "w1");
    private static final Hop FARTHER = new Hop(0, List.of(4), false, "w4");
    private static final Hop HERE = new Hop(0, List.of(2, 3), true, "");
    private static final Hop FEWER_HERE = new Hop(0, List.of(3), true, "");

    private final List<Hop> opened = new ArrayList<>();
    private final List<Integer> givenUp = new ArrayList<>();
    private final OutgoingHops hops = new OutgoingHops(List.of(FAR, HERE));

    private void follow(Hop... now) {
        hops.follow(List.of(now), opened::add, givenUp::add);
    }

    @Test
    void onlyWhatChangesIsOpenedOrGivenUpAndEachOnce() {
        follow(FAR, FEWER_HERE);
        assertEquals(List.of(), opened);
        assertEquals(List.of(), givenUp);
        follow(FEWER_HERE, FARTHER);
        assertEquals(List.of(FARTHER), opened);
        assertEquals(List.of(0), givenUp);
        follow(FARTHER, FEWER_HERE);
        follow(FARTHER);
        follow(FARTHER);
        assertEquals(List.of(FARTHER), opened);
        assertEquals(List.of(0, 1), givenUp);
        assertEquals(List.of(FAR, FEWER_HERE, FARTHER), hops.hops(), "links keep their numbers");
    }

    @Test
    void aReceiverThatIsElsewhereGetsNewLinks() {
        int node = FAR.to().getFirst();
        hops.reopen(node, opened::add, givenUp::add);
        assertEquals(List.of(FAR), opened);
        assertEquals(List.of(0), givenUp);
        hops.reopen(node, opened::add, givenUp::add);
        assertEquals(List.of(0, 2), givenUp, "the link opened last, and not that in shared memory");
        follow(FAR, HERE);
        assertEquals(List.of(FAR, FAR), opened, "the hop has its link already");
    }

    @Test
    void theSameNumberAtAnotherEndpointIsAnotherReceiver() {
        Hop elsewhere = new Hop(FAR.from(), FAR.to(), false, "elsewhere:1");
        follow(elsewhere, HERE);
        assertEquals(List.of(elsewhere), opened);
        assertEquals(List.of(0), givenUp);
    }

    /** The receivers of a host have ended, and another one of the same host joins before the tree loses them. */
    @Test
    void aLinkThatHasEndedCarriesNoOtherReceivers() {
        Hop joined = new Hop(0, List.of(2, 3, 5), true, "");
        Hop alone = new Hop(0, List.of(5), true, "");
        hops.markEnded(1);
        follow(FAR, HERE);
        follow(FAR, FEWER_HERE);
        assertEquals(List.of(), opened, "the tree still has some of the dead");
        follow(FAR, joined);
        assertEquals(List.of(joined), opened);
        assertEquals(List.of(1), givenUp);
        follow(FAR, alone);
        assertEquals(List.of(joined), opened, "the new link carries fewer receivers");
        assertEquals(List.of(1), givenUp);
    }

    @Test
    void whatIsKeptForAWhileIsGivenUpOnceAndOpenedAgain() {
        hops.follow(List.of(HERE), FAR::equals, opened::add, givenUp::add);
        hops.follow(List.of(HERE, FARTHER), FAR::equals, opened::add, givenUp::add);
        assertEquals(List.of(FARTHER), opened);
        assertEquals(List.of(), givenUp);
        follow(HERE, FARTHER);
        assertEquals(List.of(0), givenUp);
        follow(HERE, FARTHER, FAR);
        assertEquals(List.of(FARTHER, FAR), opened);
        assertEquals(List.of(0), givenUp);
    }
}
