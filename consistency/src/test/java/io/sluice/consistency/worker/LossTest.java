package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Datagrams are lost; updates are not. Every link wraps around its terms several times, so memory is reused. */
@Timeout(240)
class LossTest {
    private static final int TERM_LENGTH = 512 << 10;
    private static final int CLOCKS = 16;

    @Test
    void onePercentLostChangesNoBit() {
        requireReference(0.01);
    }

    @Tag("slow")
    @Test
    void twoPercentLostChangeNoBit() {
        requireReference(0.02);
    }

    @Test
    @Tag("slow")
    void tenPercentLostChangeNoBit() {
        requireReference(0.1);
    }

    private static void requireReference(double rate) {
        ClusterSettings settings = TestCluster.terms()
                .workers(2)
                .transport(TransportKind.UDP)
                .sliceElements(16_320)
                .livenessMs(10_000)
                .build();
        Property.holds(1, random -> {
            Updates updates =
                    new Updates(random.nextLong(), List.of(new Shape("w", 8, 16_320), new Shape("b", 1, 100)));
            try (TestDriver driver = TestDriver.lossy(rate, random.nextLong(), TERM_LENGTH)) {
                List<ServerReport> reports =
                        TestCluster.run(driver, settings, worker -> Reference.train(worker, updates, CLOCKS));
                for (ServerReport report : reports) {
                    long perReceiver = report.bytesBroadcast() / settings.workers();
                    assertTrue(perReceiver > 3 * TERM_LENGTH, "terms gone round: " + perReceiver);
                }
            }
        });
    }
}
