package io.sluice.consistency.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.messaging.MessagingException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a coordinator says of a time without a leader. */
class VacancyTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final List<String> told = new ArrayList<>();
    private final Vacancy vacancy = new Vacancy("coordinator 1", 2, 600 * SECOND_NS, told::add, 0);

    private void look(boolean isLed, long fromS, long toS) {
        for (long atS = fromS; atS <= toS; atS++) {
            vacancy.look(isLed, atS * SECOND_NS);
        }
    }

    @Test
    void electionsAreNotWorthASentence() {
        look(false, 1, 9);
        look(true, 10, 10);
        look(false, 11, 19);
        assertEquals(List.of(), told);
    }

    @Test
    void itIsSaidNowAndThenUntilItIsTooLong() {
        look(false, 1, 130);
        assertEquals(3, told.size());
        assertEquals(
                "coordinator 1 knows of no leader of the coordinators for 10 s: 2 of them must be running and reach"
                        + " each other",
                told.getFirst());
        look(true, 131, 131);
        look(false, 132, 731);
        MessagingException end = assertThrows(MessagingException.class, () -> look(false, 732, 732));
        assertEquals(
                "coordinator 1 knows of no leader of the coordinators for 601 s: 2 of them must be running and reach"
                        + " each other, and none is awaited any longer",
                end.getMessage());
    }
}
