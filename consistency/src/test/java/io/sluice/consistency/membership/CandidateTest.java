package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.consistency.TestDriver;
import io.sluice.messaging.Transport;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stranger's join must not make the coordinator look up a host name, which can take longer than its silence may. */
@Timeout(20)
class CandidateTest {
    @Test
    void isReachedByAddressNeverByName() {
        try (TestDriver driver = TestDriver.launch();
                Transport transport = driver.connect()) {
            assertNotNull(candidate(transport, "127.0.0.1:4000"));
            assertNull(candidate(transport, "localhost:4000"));
            assertNull(candidate(transport, "no endpoint"));
        }
    }

    private static Candidate candidate(Transport transport, String endpoint) {
        return Candidate.reachedBy(
                ControlNetwork.over(transport), Role.WORKER.ordinal(), -1, 1, List.of(), endpoint, "host");
    }
}
