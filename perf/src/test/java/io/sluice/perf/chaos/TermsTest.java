package io.sluice.perf.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TermsTest {
    private static final Path FILE = Path.of("file");

    private static Terms terms(int coordinators) {
        return new Terms(2, 3, coordinators, 100, 10, 2_500, "wait", true, "udp", "chain");
    }

    @Test
    void whereServer0CoordinatesItIsGivenTheTerms() {
        List<String> node = Terms.node(List.of("a:1"), FILE, FILE, FILE);
        assertTrue(node.containsAll(List.of("--cluster", "a:1")));
        assertTrue(terms(0).server(0, node).containsAll(List.of("--coordinate", "--on-death", "--seal")));
        assertFalse(terms(0).server(1, node).contains("--on-death"));
    }

    @Test
    void whereSeveralCoordinateTheyAreGivenTheTerms() {
        List<String> members = List.of("a:1", "b:1", "a:11");
        List<String> node = Terms.node(members, FILE, FILE, FILE);
        assertTrue(node.containsAll(List.of("--coordinators", "a:1,b:1,a:11")));
        List<String> server = terms(3).server(0, node);
        assertFalse(server.contains("--coordinate") || server.contains("--on-death") || server.contains("--seal"));
        List<String> coordinator = terms(3).coordinator(1, members, FILE, FILE, FILE);
        assertEquals("1", coordinator.get(1 + coordinator.indexOf("--member")));
        assertTrue(coordinator.containsAll(List.of("--members", "a:1,b:1,a:11", "--on-death", "--seal", "--restore")));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 2, 4, 11})
    void refusesNumbersOfCoordinatorsThatHaveNoMajority(int coordinators) {
        assertEquals(
                "--coordinators is " + coordinators + ", expected 0, 3, 5, 7 or 9",
                assertThrows(IllegalArgumentException.class, () -> terms(coordinators))
                        .getMessage());
    }
}
