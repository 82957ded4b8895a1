package io.sluice.perf.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CurvesTest {
    private static List<String> names(List<String> batches, List<Integer> mtus) {
        List<Row> rows = new ArrayList<>();
        for (String batch : batches) {
            for (int mtu : mtus) {
                rows.add(new Row(Map.of("udp_batch", batch, "mtu", mtu, "workers", 2, "seconds", 1)));
                rows.add(new Row(Map.of("udp_batch", batch, "mtu", mtu, "workers", 4, "seconds", 3)));
            }
        }
        Curves curves = new Curves(
                "",
                _ -> "title",
                new Curves.Axis("workers", "workers", 1),
                new Curves.Axis("seconds", "seconds", 1),
                _ -> "tree",
                "udp_batch",
                "mtu");
        return List.copyOf(curves.curves(rows).keySet());
    }

    @Test
    void optionalColumnsAreShownOnlyIfRowsDifferInThem() {
        assertEquals(List.of("tree"), names(List.of("off"), List.of(1_500)));
        assertEquals(
                List.of("tree, udp_batch off", "tree, udp_batch gso"), names(List.of("off", "gso"), List.of(1_500)));
        assertEquals(List.of("tree, mtu 1500", "tree, mtu 9000"), names(List.of("off"), List.of(1_500, 9_000)));
    }
}
