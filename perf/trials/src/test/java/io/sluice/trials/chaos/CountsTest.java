package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CountsTest {
    private static final Counts CALM = new Counts(Map.of(0, 100L, 1, 90L), Map.of(0, 120L, 1, 70L));

    @Test
    void equalCountsLoseNothing() {
        assertEquals(0, CALM.lostIn(CALM));
        assertEquals(190, CALM.allPushed());
        assertEquals(190, CALM.allTaken());
    }

    @Test
    void framesThatAServerDidNotTakeAreLost() {
        assertEquals(1, CALM.lostIn(new Counts(CALM.pushed(), Map.of(0, 119L, 1, 70L))));
    }

    /** All pushed frames were taken, but one clock of worker 1 is missing. */
    @Test
    void framesThatAWorkerDidNotPushAreLost() {
        assertEquals(3, CALM.lostIn(new Counts(Map.of(0, 100L, 1, 87L), Map.of(0, 118L, 1, 69L))));
    }

    /** The sum over all nodes is unchanged. */
    @Test
    void aDuplicateDoesNotCompensateALoss() {
        assertEquals(2, CALM.lostIn(new Counts(CALM.pushed(), Map.of(0, 119L, 1, 71L))));
    }

    @Test
    void aNodeWithoutReportHasLostAllFrames() {
        assertEquals(70, CALM.lostIn(new Counts(CALM.pushed(), Map.of(0, 120L))));
    }

    @Test
    void countsAreReadFromFinalReports() throws Exception {
        ObjectMapper json = new ObjectMapper();
        Progress progress = new Progress(() -> 0);
        for (String line : new String[] {
            "{'event':'worker-done','worker':0,'framesPushed':100,'replicaHash':'a'}",
            "{'event':'worker-done','worker':1,'framesPushed':90,'replicaHash':'a'}",
            "{'event':'server-done','server':0,'framesTaken':120}",
            "{'event':'server-done','server':1,'framesTaken':70}"
        }) {
            progress.accept(json.readTree(line.replace('\'', '"')));
        }
        assertEquals(CALM, progress.counts());
    }
}
