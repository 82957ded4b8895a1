package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aeron.Aeron;
import io.aeron.Counter;
import io.sluice.messaging.api.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of several clients of one driver that claim an endpoint, one gets it. */
@Timeout(180)
class PortClaimTest {
    private static final Endpoint ENDPOINT = new Endpoint("127.0.0.1", 50_355);
    private static final int TYPE = 5_999;

    private Rig rig;

    @BeforeEach
    void launch() {
        rig = new Rig(Rig.shortTerms());
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private static PortClaim claim(Transport transport, long patienceNs) {
        return PortClaim.tryClaim(transport.aeron(), "test", ENDPOINT, patienceNs);
    }

    private static PortClaim claim(Transport transport) {
        return claim(transport, Rig.PATIENCE_NS);
    }

    private static Counter undecided(Transport transport) {
        return PortClaim.addCounter(transport.aeron(), "test", ENDPOINT.toString());
    }

    /** Frees counters, and waits until the driver may assign their ids again. */
    private void free(List<Counter> counters) {
        CountersReader reader = rig.sender.aeron().countersReader();
        List<Integer> ids = counters.stream().map(Counter::id).toList();
        counters.forEach(Counter::close);
        Rig.until(
                () -> ids.stream()
                        .allMatch(id -> reader.getCounterState(id) == CountersReader.RECORD_RECLAIMED
                                && System.currentTimeMillis() - reader.getFreeForReuseDeadline(id) > 200),
                () -> {});
    }

    /** A claim of the receiver, and one of the sender that the receiver makes later, but with a lower counter id. */
    private record Two(PortClaim earlier, CompletableFuture<PortClaim> later) {}

    private Two claimTwice() {
        Aeron aeron = rig.sender.aeron();
        List<Counter> low = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            low.add(aeron.addCounter(TYPE, "low"));
        }
        PortClaim earlier = claim(rig.receiver);
        free(low);
        CompletableFuture<PortClaim> later = CompletableFuture.supplyAsync(() -> claim(rig.sender));
        assertThrows(TimeoutException.class, () -> later.get(100, TimeUnit.MILLISECONDS));
        return new Two(earlier, later);
    }

    @Test
    void theLaterClaimFailsOnceTheEarlierIsBound() throws Exception {
        Two claims = claimTwice();
        claims.earlier().bound();
        assertNull(claims.later().get());
    }

    @Tag("slow")
    @Test
    void theLaterClaimHoldsIfTheEarlierIsReleased() throws Exception {
        Two claims = claimTwice();
        claims.earlier().release();
        assertFalse(claims.later().get().isReleased());
    }

    @Tag("slow")
    @Test
    void theLaterClaimHoldsIfTheClientOfTheEarlierCloses() throws Exception {
        Two claims = claimTwice();
        rig.receiver.close();
        assertNotNull(claims.later().get());
    }

    @Test
    void aClaimThatStaysUndecidedIsNotWaitedForLongerThanStated() {
        assertNotNull(claim(rig.receiver));
        assertNull(claim(rig.sender, 0));
        assertNull(claim(rig.sender, TimeUnit.MILLISECONDS.toNanos(50)));
    }

    /** A client opens several inboxes at its port; another client that tries that port has no effect on them. */
    @Test
    void aClientThatReceivesThereIsNotRefusedBecauseOfAnotherClaim() {
        PortClaim first = claim(rig.receiver);
        first.bound();
        Counter rival = undecided(rig.sender);
        assertNotNull(claim(rig.receiver, 0));
        assertNull(claim(rig.sender, 0));
        rival.close();
    }

    @Test
    void oneOfManyGetsIt() {
        List<Transport> clients = Stream.generate(rig::connect).limit(4).toList();
        try {
            for (int round = 0; round < 40; round++) {
                List<CompletableFuture<PortClaim>> claims = clients.stream()
                        .map(client -> CompletableFuture.supplyAsync(() -> bound(claim(client))))
                        .toList();
                List<PortClaim> winners = claims.stream()
                        .map(CompletableFuture::join)
                        .filter(Objects::nonNull)
                        .toList();
                assertEquals(1, winners.size(), "in round " + round);
                winners.forEach(PortClaim::release);
            }
        } finally {
            clients.forEach(Transport::close);
        }
    }

    private static PortClaim bound(PortClaim claim) {
        if (claim != null) {
            claim.bound();
        }
        return claim;
    }
}
