package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
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
            assertNotNull(Candidate.reachedBy(transport, joinFrom("127.0.0.1:4000")));
            assertNull(Candidate.reachedBy(transport, joinFrom("localhost:4000")));
            assertNull(Candidate.reachedBy(transport, joinFrom("no endpoint")));
        }
    }

    private static JoinDecoder joinFrom(String endpoint) {
        ControlMessages messages = new ControlMessages();
        messages.join(Role.WORKER, -1, 1, List.of(), endpoint, "host");
        return new JoinDecoder().wrapAndApplyHeader(messages.buffer(), 0, new MessageHeaderDecoder());
    }
}
