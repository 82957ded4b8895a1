package io.sluice.consistency.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.feedback.MeasuredFeedback;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.messaging.Settings;
import io.sluice.messaging.api.MessagingException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The network that system properties describe to filters. */
@Isolated("sets system properties")
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
    @CsvSource(
            delimiter = '|',
            value = {
                "dvf:0.1|update|false",
                "adaptive:1,2|update|false",
                "budget:5kb|update|false",
                "adaptive:1,2;min=1mbit|update|true",
                "budget:auto|update|true",
                "budget:auto|push-pull|false"
            })
    void theNetworkIsMeasuredIfTheTermsAskForItAndNoSettingStatesIt(String filter, String protocol, boolean measured) {
        ClusterSettings terms = ClusterSettings.builder()
                .filter(filter)
                .protocol(Settings.constant("protocol", protocol, Protocol.class))
                .build();
        assertEquals(
                measured,
                null != MeasuredFeedback.of(new WorkerContext().measuresNetwork(), terms, TableTerms::filter));
        assertNull(MeasuredFeedback.of(
                new WorkerContext().feedback(ConstantFeedback.UNWATCHED).measuresNetwork(), terms, TableTerms::filter));
        System.setProperty(SUFFICIENT, "true");
        assertNull(MeasuredFeedback.of(new WorkerContext().measuresNetwork(), terms, TableTerms::filter));
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
