package io.sluice.perf.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SettingsTest {
    private static final Scenario SCENARIO = new Scenario(
            "any",
            List.of("any"),
            3,
            List.of(
                    Parameter.whole("clocks-per-pass", 2, 1, 9).help("clocks"),
                    Parameter.whole("every", 8, 1, 9).help("interval"),
                    Parameter.whole("workers", 1, 1, 9).several("1,2").help("workers")),
            new Layout(_ -> "", List.of()),
            _ -> null);

    /** A parameter is a fact if it has one value, and a sample that says otherwise, or none, is right. */
    @Test
    void valuesAreFactsOfSamplesThatDoNotHaveThem() {
        Settings settings = new Settings(SCENARIO, Map.of("every", "4"));
        Map<String, Object> expected = new HashMap<>(Map.of("clocks_per_pass", 2, "every", 4, "rounds", 3));
        assertEquals(expected, settings.addTo(new Sample()).facts());
        expected.put("every", null);
        assertEquals(expected, settings.addTo(new Sample().fact("every", null)).facts());
    }
}
