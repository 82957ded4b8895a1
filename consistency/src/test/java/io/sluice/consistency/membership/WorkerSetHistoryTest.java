package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.tree.Place;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A history made from the changes that a server states, which may be invalid. */
class WorkerSetHistoryTest {
    private final ClusterSettings settings =
            TestCluster.terms().servers(1).serverPlaces(2).workers(2).places(4).build();

    private static WorkerSetChange change(long clock, Role role, int index, boolean joins) {
        return new WorkerSetChange(clock, role, index, joins, new Place(0, "host", "endpoint"));
    }

    private final List<Long> changes = Stream.of(
                    change(5, Role.WORKER, 3, true),
                    change(9, Role.SERVER, 1, true),
                    change(1L << 48, Role.WORKER, 0, false))
            .map(WorkerSetChange::code)
            .toList();

    @Test
    void hasTheChangesUpToAClock() {
        assertEquals(
                List.of(0, 1), WorkerSetHistory.of(settings, changes, 4).begun().workers());
        WorkerSetHistory middle = WorkerSetHistory.of(settings, changes, 9);
        assertEquals(List.of(0, 1, 3), middle.begun().workers());
        assertEquals(List.of(0, 1), middle.owners());
        assertEquals(2, middle.earlier());
        assertEquals(
                List.of(1, 3),
                WorkerSetHistory.of(settings, changes, 1L << 48).last().workers());
    }

    @Test
    void refusesImpossibleChanges() {
        requireRefused(List.of(change(5, Role.WORKER, 4, true).code()));
        requireRefused(List.of(change(5, Role.SERVER, 2, true).code()));
        requireRefused(List.of(change(5, Role.WORKER, 1, true).code()));
        requireRefused(List.of(changes.get(1), changes.get(0)));
        requireRefused(List.of(0L));
        requireRefused(Collections.nCopies(2_001, 0L));
    }

    private void requireRefused(List<Long> stated) {
        assertThrows(IllegalArgumentException.class, () -> WorkerSetHistory.of(settings, stated, Long.MAX_VALUE));
    }
}
