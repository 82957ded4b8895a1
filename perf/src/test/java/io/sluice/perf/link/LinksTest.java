package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class LinksTest {
    @Test
    void aWarningIsGivenOnlyWhereCoresAreTooFew() {
        assertEquals("", Links.warning(3, 3));
        assertEquals(
                "WARNING: sender, receiver and media driver are 3 busy threads on 2 cores: times include waiting for a"
                        + " core",
                Links.warning(3, 2));
    }
}
