package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ClusterSettingsTest {
    private static String refusal(ClusterSettingsBuilder builder) {
        return assertThrows(IllegalArgumentException.class, builder::build).getMessage();
    }

    @ParameterizedTest
    @CsvSource({
        "IPC, , NONE",
        "UDP, , AUTO",
        "UDP, none, NONE",
        "IPC, auto, AUTO",
        "IPC, lz4, LZ4",
        "UDP, snappy, SNAPPY",
        "UDP, zstd, ZSTD"
    })
    void compressionFollowsTheTransportUnlessItIsNamed(TransportKind transport, String word, CompressionKind expected) {
        ClusterSettings settings =
                ClusterSettings.builder().compressor(word).transport(transport).build();
        assertEquals(expected, settings.compressor());
    }

    @Test
    void linkRateIsReadAsPeopleWriteIt() {
        assertEquals(1_000_000_000, ClusterSettings.builder().build().linkRate());
        assertEquals(
                200_000_000,
                ClusterSettings.builder().linkRate("200mbit").build().linkRate());
    }

    @Test
    void refusalsNameTheValueAndWhatWasExpected() {
        assertEquals(
                "compressor is 'zip', expected one of none, lz4, snappy, zstd, auto",
                refusal(ClusterSettings.builder().compressor("zip")));
        assertEquals(
                "link rate is 'fast', expected bits per second such as 1gbit or 200mbit",
                refusal(ClusterSettings.builder().linkRate("fast")));
        assertEquals(
                "link rate is 999, expected 1000 to 10000000000000 bits per second",
                refusal(ClusterSettings.builder().linkRate("999bit")));
    }

    /** A node that lacks a library must find out when it joins, not when the first such frame comes. */
    @ParameterizedTest
    @EnumSource
    void bothSidesOfEveryKindCanBeMade(CompressionKind kind) {
        ClusterSettings settings =
                ClusterSettings.builder().compressor(kind.word()).build();
        assertEquals(0, settings.newCompressor().report().rows().size());
        assertEquals(settings, ClusterSettings.builder().compressor(kind.word()).build());
        settings.newAcceptedCompressors();
    }
}
