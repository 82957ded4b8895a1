package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.messaging.api.MessagingException;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class SettingsTest {
    private static final String PROPERTY = "sluice.test.setting";

    @AfterEach
    void clear() {
        System.clearProperty(PROPERTY);
    }

    @Test
    void readsPropertiesWithUnits() {
        assertEquals(5, Settings.size(PROPERTY, 5));
        System.setProperty(PROPERTY, "4m");
        assertEquals(4 << 20, Settings.size(PROPERTY, 5));
        System.setProperty(PROPERTY, "20ms");
        assertEquals(20_000_000, Settings.duration(PROPERTY, 5));
        System.setProperty(PROPERTY, "Seconds");
        assertEquals(TimeUnit.SECONDS, Settings.choice(PROPERTY, TimeUnit.DAYS, TimeUnit.class));
        assertEquals("Seconds", Settings.text(PROPERTY, "other"));
        for (String text : List.of("ATOMIC_MOVE", "atomic-move")) {
            System.setProperty(PROPERTY, text);
            assertEquals(StandardCopyOption.ATOMIC_MOVE, Settings.choice(PROPERTY, null, StandardCopyOption.class));
        }
        System.setProperty(PROPERTY, "false");
        assertEquals(false, Settings.flag(PROPERTY, true));
        System.setProperty(PROPERTY, "true");
        assertEquals(true, Settings.flag(PROPERTY, false));
        System.setProperty(PROPERTY, " ");
        assertEquals("other", Settings.text(PROPERTY, "other"));
        assertEquals(true, Settings.flag(PROPERTY, true));
    }

    @Test
    void refusesWhatItCannotReadByName() {
        System.setProperty(PROPERTY, "soon");
        assertRefused(
                "sluice.test.setting=soon is not a size such as 65536, 64k, 4m or 1g",
                () -> Settings.size(PROPERTY, 5));
        assertRefused(
                "sluice.test.setting=soon is not a duration such as 500us, 20ms or 5s",
                () -> Settings.duration(PROPERTY, 5));
        assertRefused(
                "sluice.test.setting is 'soon', expected one of a, b",
                () -> Settings.choice(PROPERTY, Letter.A, Letter.class));
        assertRefused("sluice.test.setting=soon is not one of true, false", () -> Settings.flag(PROPERTY, true));
        assertRefused("n=9 is outside the allowed range 1 to 8", () -> Settings.inRange("n", 9, 1, 8));
    }

    @Test
    void aConstantHasAnyCaseAndHyphensOrUnderscores() {
        for (String text : List.of("ATOMIC_MOVE", "atomic-move", "Atomic-Move")) {
            assertEquals(
                    StandardCopyOption.ATOMIC_MOVE, Settings.constant("--move", text, StandardCopyOption.class), text);
        }
        assertEquals(
                "--letter is null, expected one of a, b",
                assertThrows(IllegalArgumentException.class, () -> Settings.constant("--letter", null, Letter.class))
                        .getMessage());
    }

    @Test
    void aSizeIsNotCutToItsLowBits() {
        System.setProperty(PROPERTY, "4g");
        assertRefused(
                "sluice.test.setting=4294967296 is outside the allowed range 0 to 2147483647",
                () -> Settings.intSize(PROPERTY, 5));
    }

    private enum Letter {
        A,
        B
    }

    @Test
    void aNumberHasOnlyDigits() {
        System.setProperty(PROPERTY, "12");
        assertEquals(12, Settings.integer(PROPERTY, 5));
        System.setProperty(PROPERTY, "64k");
        assertRefused(PROPERTY + "=64k is not a whole number such as 4", () -> Settings.integer(PROPERTY, 5));
        System.clearProperty(PROPERTY);
        assertEquals(5, Settings.integer(PROPERTY, 5));
    }

    private static void assertRefused(String message, Runnable reading) {
        assertEquals(
                message, assertThrows(MessagingException.class, reading::run).getMessage());
    }
}
