package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ChaosReportTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static ChaosReport report(String verdict) throws JsonProcessingException {
        return JSON.readValue(verdict.replace('\'', '"'), ChaosReport.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'identical': false",
                "'identical': true, 'lost_updates': 1",
                "'identical': true, 'unreported_hangs': 1",
                "'identical': true, 'unexplained_ends': 1",
                "'identical': true, 'escaped_exceptions': 1"
            })
    void aSingleFaultFailsTheTrial(String verdict) throws JsonProcessingException {
        assertFalse(report("{" + verdict + "}").isGood());
        assertTrue(report("{'identical': true, 'kills': 3, 'notes': 2}").isGood());
    }
}
