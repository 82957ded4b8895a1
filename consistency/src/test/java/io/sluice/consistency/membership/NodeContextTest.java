package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.worker.WorkerContext;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.messaging.MessagingException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What filters are told of the network by system properties. */
class NodeContextTest {
    private static final String SUFFICIENT = "sluice.network.sufficient";
    private static final String BYTES = "sluice.network.bytes";

    @AfterEach
    void clear() {
        System.clearProperty(SUFFICIENT);
        System.clearProperty(BYTES);
    }

    @Test
    void theNetworkIsWhatItsPropertiesSay() {
        assertEquals(ConstantFeedback.UNWATCHED, new WorkerContext().feedback());
        System.setProperty(SUFFICIENT, "false");
        System.setProperty(BYTES, "64k");
        assertEquals(new ConstantFeedback(false, 64 << 10), new WorkerContext().feedback());
    }

    @ParameterizedTest
    @CsvSource({SUFFICIENT + ", ture", BYTES + ", 64kb"})
    void wordsThatSayNothingAreRefused(String property, String value) {
        System.setProperty(property, value);
        String message =
                assertThrows(MessagingException.class, WorkerContext::new).getMessage();
        assertTrue(message.startsWith(property + "=" + value + " is not "), message);
    }
}
