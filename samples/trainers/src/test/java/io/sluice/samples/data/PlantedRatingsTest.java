package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlantedRatingsTest {
    private static final PlantedRatings SMALL = new PlantedRatings(50, 400, 4_000, 3, 0.3);

    @Test
    void haveTheShapeOfMovieLens() {
        RatingSet data = PlantedRatings.LIKE_MOVIELENS.generate(1);
        assertEquals(671, data.users());
        assertEquals(9_066, data.items());
        assertEquals(100_004, data.train().size() + data.test().size());
        assertEquals(3.5, data.train().mean(), 0.1);
    }

    @Test
    void areTheSameWithTheSameSeed() {
        assertEquals(SMALL.generate(7).fingerprint(), SMALL.generate(7).fingerprint());
        assertNotEquals(SMALL.generate(7).fingerprint(), SMALL.generate(8).fingerprint());
    }

    @Test
    void rateNoItemTwiceAndPopularItemsMost() {
        RatingSet data = SMALL.generate(3);
        Set<Integer> pairs = new HashSet<>();
        int[] ofItem = new int[data.items()];
        for (Ratings part : new Ratings[] {data.train(), data.test()}) {
            for (int i = 0; i < part.size(); i++) {
                pairs.add(part.user(i) * data.items() + part.item(i));
                ofItem[part.item(i)]++;
            }
        }
        assertEquals(4_000, pairs.size());
        int firstTenth = Arrays.stream(ofItem, 0, 40).sum();
        int lastTenth = Arrays.stream(ofItem, 360, 400).sum();
        assertTrue(firstTenth > 5 * lastTenth, firstTenth + " and " + lastTenth);
    }

    @Test
    void areRefusedWhereTheyWouldNotFit() {
        assertThrows(IllegalArgumentException.class, () -> new PlantedRatings(10, 10, 51, 1, 0));
    }
}
