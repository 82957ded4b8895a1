package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.trials.chaos.Disturbance.Kind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ScheduleTest {
    private static final Terms TERMS = new Terms(2, 3, 0, 0, 0, 100, 10, 2_500, "fail", false, "ipc", "flat");

    private static List<Disturbance> first(long seed, List<Kind> kinds) {
        Schedule schedule = new Schedule(seed, kinds, TERMS);
        return Stream.generate(schedule::next).limit(500).toList();
    }

    @Test
    void isTheSameForTheSameSeed() {
        List<Kind> all = List.of(Kind.values());
        assertEquals(first(7, all), first(7, all));
        assertNotEquals(first(7, all), first(8, all));
    }

    @Test
    void aDeferredDisturbanceIsNext() {
        Schedule schedule = new Schedule(7, List.of(Kind.values()), TERMS);
        Disturbance one = schedule.next();
        schedule.defer(one);
        assertEquals(one, schedule.next());
        assertEquals(first(7, List.of(Kind.values())).get(1), schedule.next());
    }

    @Test
    void hasAllKindsAndPausesBelowAndAboveTheLivenessTime() {
        Set<Kind> kinds = new HashSet<>();
        int longer = 0;
        for (Disturbance each : first(1, List.of(Kind.values()))) {
            kinds.add(each.kind());
            assertTrue(Kind.CUT == each.kind()
                    || each.durationMs() < TERMS.livenessMs()
                    || each.durationMs() > 2 * TERMS.livenessMs());
            longer += each.durationMs() > TERMS.livenessMs() ? 1 : 0;
            assertTrue(each.choose(3) >= 0 && each.choose(3) < 3);
        }
        assertEquals(Set.of(Kind.values()), kinds);
        assertTrue(longer > 50 && longer < 250, "longer are " + longer);
    }

    /** A lost node could not rejoin, and the job would start from the beginning each time. */
    @Test
    void disturbancesOfElasticJobsAreShorterThanTheLivenessTime() {
        Terms elastic = new Terms(2, 3, 0, 4, 0, 100, 10, 2_500, "fail", false, "ipc", "flat");
        Schedule schedule = new Schedule(3, List.of(Kind.PAUSE, Kind.CUT, Kind.WORKER_JOINS), elastic);
        Stream.generate(schedule::next)
                .limit(500)
                .forEach(each -> assertTrue(each.durationMs() < elastic.livenessMs(), each::toString));
    }

    /** Some cuts are long enough for a living node to be lost. */
    @Test
    void cutsHaveAllDurations() {
        int[] cuts = new int[3];
        for (Disturbance each : first(1, List.of(Kind.CUT))) {
            cuts[(int) Math.min(2, each.durationMs() / TERMS.livenessMs())]++;
        }
        for (int number : cuts) {
            assertTrue(number > 50, "of three lengths " + Arrays.toString(cuts));
        }
    }
}
