package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A node rejoins at any moment, even while a link to it is being opened. */
class FollowedLinkTest {
    private static final int STEPS = 40;

    /** A node that rejoins at another address each time. */
    private static final class Wanderer {
        private final SplittableRandom random;
        private final int oneIn;
        private int incarnation;

        /** The node rejoins in one of this many steps, at random; 0 for never. */
        Wanderer(SplittableRandom random, int oneIn) {
            this.random = random;
            this.oneIn = oneIn;
        }

        void perhapsRejoin() {
            if (oneIn > 0 && random.nextInt(oneIn) == 0) {
                incarnation++;
            }
        }

        int incarnation() {
            perhapsRejoin();
            int seen = incarnation;
            perhapsRejoin();
            return seen;
        }

        /**
         * The address of an incarnation is its number; opening a link takes time before and after the address is read.
         */
        int open() {
            perhapsRejoin();
            int address = incarnation;
            perhapsRejoin();
            return address;
        }
    }

    @Test
    void aNodeThatRejoinsWhileTheLinkOpensIsFollowed() {
        int[] incarnation = {0};
        boolean[] rejoins = {true};
        FollowedLink<Integer> followed = new FollowedLink<>(() -> incarnation[0], () -> {
            int address = incarnation[0];
            incarnation[0] += rejoins[0] ? 1 : 0;
            return address;
        });
        assertEquals(0, followed.link());
        assertTrue(followed.isLeftBehind(), "the link leads to the previous address");
        assertEquals(1, followed.reopen());
        assertTrue(followed.isLeftBehind(), "the node has rejoined once more while the link opened");
        rejoins[0] = false;
        assertEquals(2, followed.reopen());
        assertFalse(followed.isLeftBehind());
    }

    /** A link that does not count as outdated leads to the last known address of the node. */
    @Test
    void aLinkThatIsNotOutdatedLeadsToTheNode() {
        Property.holds(500, random -> {
            Wanderer[] node = {new Wanderer(random, random.nextInt(2, 6))};
            FollowedLink<Integer> followed = new FollowedLink<>(() -> node[0].incarnation(), () -> node[0].open());
            for (int step = 0; step < STEPS; step++) {
                if (followed.isLeftBehind()) {
                    followed.reopen();
                }
            }
            Wanderer still = new Wanderer(random, 0);
            still.incarnation = node[0].incarnation;
            node[0] = still;
            if (followed.isLeftBehind()) {
                followed.reopen();
            }
            assertFalse(followed.isLeftBehind());
            assertEquals(still.incarnation, followed.link());
        });
    }
}
