package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.WorkerSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class WorkerSetsOptionTest {
    @Test
    void readsWorkerSetsInOrder() {
        assertEquals(
                List.of(
                        new WorkerSet(1, List.of(0, 1)),
                        new WorkerSet(57, List.of(1)),
                        new WorkerSet(60, List.of(1, 3))),
                new WorkerSetsOption().convert("1:0,1;57:1;60:1, 3").workerSets());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1:", "2:0", "1:0;1:1", "1:0;x:1", "1:1,0", "1:0,0", "1:-1", "1:0:1", "1:0;5:"})
    void rejectsInvalidWorkerSets(String text) {
        String refusal = assertThrows(TypeConversionException.class, () -> new WorkerSetsOption().convert(text))
                .getMessage();
        assertTrue(refusal.startsWith("'" + text + "', expected the first clock of each worker set"), refusal);
    }
}
