package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Property;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Of a node that comes back at any moment, also while a link to it is opened. */
class FollowedLinkTest {
    private static final int STEPS = 40;

    /** A node that comes back at another address each time. */
    private static final class Wanderer {
        private final SplittableRandom random;
        private final int oneIn;
        private int life;

        /** Comes back at one in so many moments; 0 for never. */
        Wanderer(SplittableRandom random, int oneIn) {
            this.random = random;
            this.oneIn = oneIn;
        }

        void perhapsComeBack() {
            if (oneIn > 0 && random.nextInt(oneIn) == 0) {
                life++;
            }
        }

        int life() {
            perhapsComeBack();
            int seen = life;
            perhapsComeBack();
            return seen;
        }

        /** The address of a life is its number; to open a link takes time before and after that is looked up. */
        int open() {
            perhapsComeBack();
            int address = life;
            perhapsComeBack();
            return address;
        }
    }

    @Test
    void aNodeThatComesBackWhileTheLinkIsOpenedIsFollowed() {
        int[] life = {0};
        boolean[] comesBack = {true};
        FollowedLink<Integer> way = new FollowedLink<>(() -> life[0], () -> {
            int address = life[0];
            life[0] += comesBack[0] ? 1 : 0;
            return address;
        });
        assertEquals(0, way.link());
        assertTrue(way.isLeftBehind(), "the link leads to where the node was");
        assertEquals(1, way.reopen());
        assertTrue(way.isLeftBehind(), "it has come back once more, again while the link was opened");
        comesBack[0] = false;
        assertEquals(2, way.reopen());
        assertFalse(way.isLeftBehind());
    }

    /** Whatever comes between, a link that does not count as left behind leads to where the node was last seen. */
    @Test
    void whoFollowsUntilNothingIsLeftBehindIsWhereTheNodeIs() {
        Property.holds(500, random -> {
            Wanderer[] node = {new Wanderer(random, random.nextInt(2, 6))};
            FollowedLink<Integer> way = new FollowedLink<>(() -> node[0].life(), () -> node[0].open());
            for (int step = 0; step < STEPS; step++) {
                if (way.isLeftBehind()) {
                    way.reopen();
                }
            }
            Wanderer still = new Wanderer(random, 0);
            still.life = node[0].life;
            node[0] = still;
            if (way.isLeftBehind()) {
                way.reopen();
            }
            assertFalse(way.isLeftBehind());
            assertEquals(still.life, way.link());
        });
    }
}
