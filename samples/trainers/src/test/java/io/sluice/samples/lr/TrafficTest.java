package io.sluice.samples.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Protocol;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.Trained.Outcome;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The calculated bytes agree with the bytes of real jobs. */
@Timeout(120)
class TrafficTest {
    private static final double TOLERANCE = 0.03;

    private static long moved(ClusterSettingsBuilder terms, Dataset data, DescentSettings lr) {
        Outcome outcome = Trained.by(terms, data, lr);
        return outcome.workers().stream().mapToLong(Trained::bytesPushed).sum()
                + outcome.servers().stream()
                        .mapToLong(ServerReport::bytesBroadcast)
                        .sum();
    }

    private static void assertNear(long calculated, long moved) {
        assertEquals(1, (double) moved / calculated, TOLERANCE, moved + " bytes moved, " + calculated + " calculated");
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"1, 1, 16320", "4, 2, 16320", "3, 2, 5000", "2, 1, 65536"})
    void densePushPullMovesWhatIsReckoned(int workers, int servers, int slice) throws IOException {
        Dataset data = SpamAssassin.load(1 << 18);
        DescentSettings lr = new DescentSettings(40, 8, 100, 1);
        ClusterSettingsBuilder terms = ClusterSettings.builder()
                .workers(workers)
                .servers(servers)
                .protocol(Protocol.PUSH_PULL)
                .sliceElements(slice);
        assertNear(new Traffic(data, lr, workers, slice).dense(), moved(terms, data, lr));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 16320", "4, 2, 16320", "3, 2, 5000"})
    void updatesThatAreNotZeroMoveALittleLessThanIsReckoned(int workers, int servers, int slice) throws IOException {
        Dataset data = SpamAssassin.load(1 << 18);
        DescentSettings lr = new DescentSettings(10, 32, 100, 1);
        ClusterSettingsBuilder terms = ClusterSettings.builder()
                .workers(workers)
                .servers(servers)
                .filter("none")
                .sliceElements(slice);
        long calculated = new Traffic(data, lr, workers, slice).exact();
        long moved = moved(terms, data, lr);
        // The calculation uses plain indices; packed gaps save half of each, a sixth of an element, and less of what
        // surrounds it.
        assertTrue(
                moved <= calculated && moved > 0.75 * calculated,
                moved + " bytes moved, " + calculated + " calculated");
    }

    @Test
    void countsFramesWithTheirHeadersAndAlignment() {
        // One feature, one worker, one clock: a frame of 64 bytes of header and 4 of payload, behind 32 of Aeron's.
        Dataset data = Rows.parsed("1 1:1\n".repeat(5), 1);
        Traffic traffic = new Traffic(data, new DescentSettings(1, 1, 1, 1), 1, 16);
        assertEquals(2 * 128, traffic.dense());
        assertEquals(2 * 128, traffic.exact());
    }

    @Test
    void growsWithWorkersAndClocks() throws IOException {
        Dataset data = SpamAssassin.load(1 << 16);
        long once = new Traffic(data, new DescentSettings(10, 8, 1, 1), 2, 16_320).dense();
        assertEquals(3 * once, new Traffic(data, new DescentSettings(30, 8, 1, 1), 2, 16_320).dense());
        assertEquals(4 * once, new Traffic(data, new DescentSettings(10, 8, 1, 1), 8, 16_320).dense());
        assertTrue(new Traffic(data, new DescentSettings(10, 8, 1, 1), 2, 16_320).exact() < once / 5);
    }
}
