package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aeron.Aeron;
import io.aeron.Counter;
import io.sluice.messaging.api.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two transports of one driver claim the same endpoint at once, and the driver gives the later claim the lower counter
 * id, since it assigns ids again.
 */
@Timeout(60)
class PortClaimTest {
    private static final Endpoint ENDPOINT = new Endpoint("127.0.0.1", 50_355);
    private static final int TYPE = 5_999;

    private Rig rig;
    private PortClaim earlier;
    private CompletableFuture<PortClaim> later;

    @BeforeEach
    void claimTwice() throws Exception {
        rig = new Rig(Rig.shortTerms());
        List<Counter> low = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            low.add(aeron().addCounter(TYPE, "low"));
        }
        earlier = PortClaim.tryClaim(rig.receiver.aeron(), "earlier", ENDPOINT);
        int freed = low.getFirst().id();
        low.forEach(Counter::close);
        while (aeron().addCounter(TYPE, "until the driver assigns the ids again")
                        .id()
                > freed + low.size()) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        later = CompletableFuture.supplyAsync(() -> PortClaim.tryClaim(aeron(), "later", ENDPOINT));
        assertThrows(TimeoutException.class, () -> later.get(100, TimeUnit.MILLISECONDS));
    }

    private Aeron aeron() {
        return rig.sender.aeron();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void theLaterClaimFailsOnceTheEarlierIsBound() throws Exception {
        earlier.bound();
        assertNull(later.get());
    }

    @Test
    void theLaterClaimHoldsIfTheEarlierIsReleased() throws Exception {
        earlier.release();
        assertNotNull(later.get());
        assertFalse(later.get().isReleased());
    }

    @Test
    void theLaterClaimHoldsIfTheClientOfTheEarlierCloses() throws Exception {
        rig.receiver.close();
        assertNotNull(later.get());
    }
}
