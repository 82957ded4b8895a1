package io.sluice.messaging.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Property;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentSamplesTest {
    @Test
    void isTheThirdLargestOfTheLastEight() {
        Property.holds(200, random -> {
            RecentSamples samples = new RecentSamples();
            List<Long> all = new ArrayList<>();
            assertEquals(0, samples.representative());
            for (int i = 0; i < 40; i++) {
                long sample = random.nextLong(1, 20);
                all.add(sample);
                samples.add(sample);
                List<Long> last =
                        new ArrayList<>(all.subList(Math.max(0, all.size() - RecentSamples.KEPT), all.size()));
                last.sort(Comparator.reverseOrder());
                assertEquals(last.get(Math.min(last.size(), RecentSamples.RANK) - 1), samples.representative());
            }
        });
    }
}
