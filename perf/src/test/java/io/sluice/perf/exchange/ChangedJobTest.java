package io.sluice.perf.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChangedJobTest {
    private static ClusterSettings terms(String change) {
        return ChangedJob.Change.parse("--changes", change).on(ClusterSettings.builder());
    }

    @Test
    void aChangeIsOneOfTheTermsOfTrain() {
        assertEquals("flat", terms("none").tree());
        assertEquals("chain", terms("tree=chain").tree());
        assertEquals("ssp:1", terms("consistency=ssp:1").consistency());
        assertEquals("layer", terms("order=layer slice=4096").order());
        assertEquals(Protocol.PUSH_PULL, terms("protocol=push-pull").protocol());
        assertEquals(0.1, ChangedJob.Change.parse("--changes", "kept=0.1").kept());
        assertEquals(4, ChangedJob.Change.parse("--changes", "steps=4").steps());
    }

    @ParameterizedTest
    @CsvSource({"tree=bush, bush", "kept=0, kept=0", "kept=2, kept=2", "steps, steps", "size=3, size=3"})
    void otherChangesAreRefused(String change, String named) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> terms(change));
        assertTrue(e.getMessage().contains(named), e.getMessage());
    }
}
