package io.sluice.messaging.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SendHistoryTest {
    private record Moment(long time, long position, boolean idle) {}

    @Test
    void datesPositionsToItsResolutionAndForgetsNoPause() {
        Property.holds(200, random -> {
            SendHistory history = new SendHistory();
            List<Moment> told = new ArrayList<>();
            long time = 0;
            long position = 0;
            for (int i = 0; i < 1_500; i++) {
                time += random.nextLong(1, 2 * SendHistory.RESOLUTION_NS);
                position += random.nextInt(3) == 0 ? 0 : random.nextInt(5_000);
                boolean idle = random.nextInt(20) == 0;
                told.add(new Moment(time, position, idle));
                history.record(time, position, idle, false);
            }
            for (int i = 0; i < 50; i++) {
                long from = random.nextLong(position + 1);
                long to = random.nextLong(from, position + 1);
                boolean paused = told.stream().anyMatch(m -> m.idle() && m.position() >= from && m.position() < to);
                assertEquals(paused, history.pausedWithin(from, to));
                long exact = told.stream()
                        .filter(m -> m.position() >= from)
                        .findFirst()
                        .orElseThrow()
                        .time();
                long late = history.timeOf(from) - exact;
                assertTrue(late >= 0 && late <= SendHistory.RESOLUTION_NS, () -> late + " ns late");
            }
        });
    }

    @Test
    void answersFromWhatIsLeftWhenTheRingIsFull() {
        SendHistory history = new SendHistory();
        for (int i = 1; i <= 10_000; i++) {
            history.record(i * SendHistory.RESOLUTION_NS, i * 100L, i == 9_500, false);
        }
        assertEquals(9_000 * SendHistory.RESOLUTION_NS, history.timeOf(900_000));
        assertTrue(history.timeOf(100) >= 5_000 * SendHistory.RESOLUTION_NS);
        assertTrue(history.pausedWithin(0, 1_000_000));
        assertTrue(history.pausedWithin(950_000, 950_001));
        assertEquals(false, history.pausedWithin(950_001, 1_000_000));
    }
}
