package io.sluice.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.driver.DriverThreading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BusyThreadsTest {
    @ParameterizedTest
    @CsvSource({"SHARED,3", "SHARED_NETWORK,4", "DEDICATED,5"})
    void theDriversThreadsCount(DriverThreading threading, int count) {
        assertEquals(count, BusyThreads.withDriver("we", 2, threading).count());
    }

    @Test
    void aWarningIsGivenOnlyWhereCoresAreTooFew() {
        BusyThreads busy = new BusyThreads("sender and receiver", 3);
        assertTrue(busy.warning(3).isEmpty());
        assertEquals(
                "WARNING: sender and receiver are 3 busy threads on 2 cores: times include waiting for a core",
                busy.warning(2).orElseThrow());
    }
}
