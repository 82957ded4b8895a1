package io.sluice.messaging.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;

class CounterKeyTest {
    private final long seed = Long.getLong("sluice.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[CountersReader.MAX_KEY_LENGTH]);

    private String text(int most) {
        int length = random.nextInt(most + 1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(' ', '~' + 1));
        }
        return text.toString();
    }

    @Test
    void readsWhatItWrote() {
        for (int i = 0; i < 10_000; i++) {
            CounterKey key = new CounterKey(
                    random.nextInt(),
                    random.nextLong(),
                    random.nextInt(),
                    random.nextInt(),
                    text(CounterKey.MAX_NAME),
                    text(CounterKey.MAX_DETAIL));
            int length = key.encode(buffer);
            assertTrue(length <= buffer.capacity());
            assertEquals(key, CounterKey.decode(buffer), "seed " + seed);
            assertEquals(key, CounterKey.decode(new UnsafeBuffer(buffer, 0, length)), "seed " + seed);
        }
    }

    @Test
    void cutsWhatIsTooLong() {
        CounterKey key = new CounterKey(1, 2, 3, 4, "n".repeat(200), "d".repeat(200));
        assertEquals(CountersReader.MAX_KEY_LENGTH, key.encode(buffer));
        assertEquals(
                "n".repeat(CounterKey.MAX_NAME - 1) + "~",
                CounterKey.decode(buffer).name());
    }

    @Test
    void readsNothingThatIsNoKeyAndNothingUnprintable() {
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(CountersReader.MAX_KEY_LENGTH + 1)];
            random.nextBytes(bytes);
            UnsafeBuffer forged = new UnsafeBuffer(bytes);
            boolean magic = bytes.length >= 4 && random.nextBoolean();
            if (magic) {
                forged.putInt(0, 0x534C4331);
                if (bytes.length >= 28 && random.nextBoolean()) {
                    forged.putInt(24, random.nextInt(-2, CounterKey.MAX_NAME + 2));
                }
            }
            CounterKey key = CounterKey.decode(forged);
            if (!magic) {
                assertNull(key, () -> "seed " + seed + ": " + Arrays.toString(bytes));
            } else if (key != null) {
                assertTrue((key.name() + key.detail()).chars().allMatch(c -> c >= ' ' && c <= '~'), "seed " + seed);
            }
        }
    }

    @Test
    void typeIdsAreOnlyOurs() {
        long ids = Arrays.stream(CounterType.values())
                .mapToInt(CounterType::typeId)
                .distinct()
                .count();
        assertEquals(CounterType.values().length, ids);
        for (CounterType type : CounterType.values()) {
            assertTrue(type.typeId() >= 5_400 && type.typeId() < 5_500, type.name());
            assertEquals(type, CounterType.of(type.typeId()));
        }
        assertNull(CounterType.of(0));
    }
}
