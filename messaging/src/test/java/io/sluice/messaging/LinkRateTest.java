package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkRateTest {
    @ParameterizedTest
    @CsvSource({
        "1gbit, 1000000000",
        "200mbit, 200000000",
        "2.5 Gbit, 2500000000",
        "10Tbit, 10000000000000",
        "0.5kbit, 500",
        "7bit, 7",
        "0bit, 0",
        "0.9bit, 0",
    })
    void readsWhatPeopleWrite(String text, long bits) {
        assertEquals(bits, LinkRate.parse("link rate", text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "fast", "1", "-1gbit", "1gbyte", "1 g bit", "1..5gbit", ".5gbit", "1e9bit", "99999999999gbit"
            })
    void refusesAnythingElse(String text) {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> LinkRate.parse("link rate", text));
        assertEquals(
                "link rate is '" + text + "', expected bits per second such as 1gbit or 200mbit", refusal.getMessage());
    }
}
