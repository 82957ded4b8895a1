package io.sluice.consistency.replica;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoordinatorContextTest {
    @TempDir
    private Path folder;

    private CoordinatorContext of(String members) {
        return new CoordinatorContext()
                .terms(ClusterSettings.builder().servers(1).workers(1).build())
                .folder(folder)
                .members(members);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "127.0.0.1:4000,127.0.0.1:4010 | expected 3, 5, 7 or 9 addresses",
                "127.0.0.1:4000,127.0.0.1:4010,127.0.0.1:4010 | expected a different address for each",
                "127.0.0.1:4000,127.0.0.1:4010,127.0.0.1:65531 | port of coordinator 127.0.0.1:65531 is 65531",
                "127.0.0.1:4000,127.0.0.1:4005,127.0.0.1:4020 | port of coordinator 127.0.0.1:4005 is 4005, expected 6"
                        + " or more away from that of 127.0.0.1:4000",
            })
    void badValuesAreNamed(String members, String sentence) {
        CoordinatorContext context = of(members);
        String said =
                assertThrows(IllegalArgumentException.class, context::conclude).getMessage();
        assertTrue(said.contains(sentence), said);
    }

    @Test
    void portsOfAHostMayBeNextToEachOther() {
        assertDoesNotThrow(of("127.0.0.1:4000,127.0.0.1:4006,127.0.0.1:4012")::conclude);
        assertDoesNotThrow(of("127.0.0.1:4000,127.0.0.2:4000,127.0.0.3:4000")::conclude);
    }
}
