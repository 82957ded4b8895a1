package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.trials.chaos.Disturbance.Kind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TermsTest {
    private static final Path FILE = Path.of("file");

    private static Terms terms(int coordinators) {
        return new Terms(2, 3, 0, 0, coordinators, 100, 10, 2_500, "wait", true, "udp", "chain");
    }

    private static Terms elastic(int maxServers, int maxWorkers, int coordinators, String onDeath, String tree) {
        return new Terms(2, 3, maxServers, maxWorkers, coordinators, 100, 10, 2_500, onDeath, true, "udp", tree);
    }

    @Test
    void server0GetsTheTermsIfItIsTheCoordinator() {
        List<String> node = terms(0).node(List.of("a:1"), FILE, FILE, FILE);
        assertTrue(node.containsAll(List.of("--cluster", "a:1", "--snapshots")));
        assertTrue(terms(0).server(0, node, "").containsAll(List.of("--coordinate", "--on-death", "--seal")));
        assertFalse(terms(0).server(1, node, "").contains("--on-death"));
    }

    @Test
    void coordinatorsGetTheTerms() {
        List<String> members = List.of("a:1", "b:1", "a:11");
        List<String> node = terms(3).node(members, FILE, FILE, FILE);
        assertTrue(node.containsAll(List.of("--coordinators", "a:1,b:1,a:11")));
        List<String> server = terms(3).server(0, node, "");
        assertFalse(server.contains("--coordinate") || server.contains("--on-death") || server.contains("--seal"));
        List<String> coordinator = terms(3).coordinator(1, members, FILE, FILE, FILE, "");
        assertEquals("1", coordinator.get(1 + coordinator.indexOf("--member")));
        assertTrue(coordinator.containsAll(List.of("--members", "a:1,b:1,a:11", "--on-death", "--seal", "--restore")));
    }

    @Test
    void elasticJobsTakeNoSnapshotsAndFilterNothing() {
        Terms terms = elastic(4, 5, 0, "fail", "auto");
        List<String> node = terms.node(List.of("a:1"), FILE, FILE, FILE);
        List<String> server = terms.server(0, node, "");
        assertFalse(server.contains("--snapshots") || server.contains("--restore"));
        assertTrue(server.containsAll(List.of("--max-workers", "5", "--max-servers", "4", "--filter", "none")));
        List<String> coordinator =
                elastic(4, 5, 3, "fail", "auto").coordinator(0, List.of("a:1", "b:1", "a:11"), FILE, FILE, FILE, "");
        assertTrue(coordinator.containsAll(List.of("--max-workers", "5", "--max-servers", "4", "--filter", "none")));
        assertTrue(terms.inOneProcess("1:0,1", FILE).containsAll(List.of("--reference", "--history", "1:0,1", "100")));
    }

    @Test
    void elasticJobsThatWaitTakeSnapshots() {
        Terms fails = elastic(4, 5, 0, "fail", "auto");
        Terms waits = elastic(4, 5, 0, "wait", "auto");
        assertFalse(fails.server(0, List.of(), "").contains("--restore"));
        List<String> newest = waits.server(0, List.of(), "");
        assertTrue(newest.contains("--restore") && !newest.contains("30"));
        List<String> named = waits.server(0, List.of(), "30");
        assertEquals("30", named.get(1 + named.indexOf("--restore")));
        assertFalse(waits.awaitsTheDead());
        assertTrue(Kind.KILL_SERVER.suits(waits) && Kind.SERVER_LEAVES.suits(waits));
        assertFalse(Kind.KILL_SERVER.suits(fails));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 2, 0, fail, flat, --max-workers is 2",
        "1, 3, 0, fail, flat, --max-servers is 1",
        "3, 0, 0, fail, flat, and --max-workers set",
        "3, 3, 0, fail, chain, --max-servers is 3 and --tree chain"
    })
    void rejectsInvalidPlaces(
            int maxServers, int maxWorkers, int coordinators, String onDeath, String tree, String expected) {
        String refusal = assertThrows(
                        IllegalArgumentException.class,
                        () -> elastic(maxServers, maxWorkers, coordinators, onDeath, tree))
                .getMessage();
        assertTrue(refusal.contains(expected), refusal);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 2, 4, 11})
    void rejectsInvalidNumbersOfCoordinators(int coordinators) {
        assertEquals(
                "--coordinators is " + coordinators + ", expected 0, 3, 5, 7 or 9",
                assertThrows(IllegalArgumentException.class, () -> terms(coordinators))
                        .getMessage());
    }
}
