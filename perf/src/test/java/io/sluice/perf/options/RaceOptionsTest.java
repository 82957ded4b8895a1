package io.sluice.perf.options;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.UnavailableException;
import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Entrant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RaceOptionsTest {
    @Test
    void tablesThatDoNotFitIntoMemoryTogetherAreRefused() {
        RaceOptions options = new RaceOptions();
        assertDoesNotThrow(() -> options.checkMemory(List.of(new Table(1_000))));
        long half = 1L << 50;
        String message = assertThrows(
                        UnavailableException.class,
                        () -> options.checkMemory(List.of(new Table(half), new Table(half))))
                .getMessage();
        assertTrue(message.contains("2 contestants need 2147483"), message);
        assertTrue(message.contains("choose a smaller --size"), message);
    }

    private record Table(long memory) implements Entrant {
        @Override
        public String name() {
            return "table";
        }

        @Override
        public long elements() {
            return 1;
        }

        @Override
        public int threads() {
            return 1;
        }

        @Override
        public List<String> jvmOptions() {
            return List.of();
        }

        @Override
        public Contestant prepare(int thread) {
            return tally -> {};
        }
    }
}
