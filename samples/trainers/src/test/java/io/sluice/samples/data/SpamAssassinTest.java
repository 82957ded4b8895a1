package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpamAssassinTest {

    @Test
    void shipsTheWholeCorpus() throws IOException {
        assertEquals(6_046, count(mail -> true));
        assertEquals(4_150, count(mail -> !mail.spam()));
        assertEquals(1_896, count(mail -> mail.spam()));
        assertEquals(1_067_780, count(mail -> true, mail -> mail.hashes().length));
        assertEquals(
                83_696,
                SpamAssassin.readMails().stream()
                        .flatMapToInt(mail -> IntStream.of(mail.hashes()))
                        .distinct()
                        .count());
    }

    @Test
    void holdsOutAFifthOfEachClass() throws IOException {
        assertEquals(830, count(mail -> mail.test() && !mail.spam()));
        assertEquals(379, count(mail -> mail.test() && mail.spam()));
    }

    @Test
    void splitsAsTheFileSays() throws IOException {
        Dataset data = SpamAssassin.load(SpamAssassin.DEFAULT_FEATURES);
        assertEquals("spam-assassin", data.name());
        assertEquals(1 << 20, data.features());
        assertEquals(4_837, data.train().size());
        assertEquals(1_209, data.test().size());
        assertEquals(1_517, spam(data.train()));
        assertEquals(379, spam(data.test()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 10, 1 << 20, 1 << 26})
    void givesAscendingFeaturesInRowsOfLengthOne(int features) throws IOException {
        for (WordValue value : WordValue.values()) {
            Dataset data = SpamAssassin.load(features, value);
            assertEquals(features, data.features());
            for (Examples examples : List.of(data.train(), data.test())) {
                for (int row = 0; row < examples.size(); row++) {
                    assertRow(examples, row, features);
                }
            }
        }
    }

    @Test
    void givesAllWordsThatOccurTheSameValue() throws IOException {
        Examples examples = SpamAssassin.load(1 << 20, WordValue.PRESENCE).train();
        assertEquals(examples.value(examples.start(0)), examples.value(examples.end(0) - 1));
    }

    @Test
    void addsTheCountsOfWordsThatMeet() throws IOException {
        HashedMail first = SpamAssassin.readMails().getFirst();
        Examples folded = SpamAssassin.load(1 << 10, WordValue.LOG_COUNT).train();
        int[] counts = new int[1 << 10];
        for (int i = 0; i < first.hashes().length; i++) {
            counts[first.hashes()[i] & 1023] += first.counts()[i];
        }
        double squares = IntStream.of(counts)
                .mapToDouble(Math::log1p)
                .map(value -> value * value)
                .sum();
        for (int entry = folded.start(0); entry < folded.end(0); entry++) {
            double expected = Math.log1p(counts[folded.index(entry)]) / Math.sqrt(squares);
            assertEquals(expected, folded.value(entry), 1e-6);
        }
    }

    @Test
    void refusesOtherNumbersOfFeatures() {
        for (int features : new int[] {Integer.MIN_VALUE, -1, 0, 1, 512, 1_000_000, 1 << 27}) {
            assertThrows(IllegalArgumentException.class, () -> SpamAssassin.load(features));
        }
    }

    private static void assertRow(Examples examples, int row, int features) {
        assertTrue(examples.start(row) < examples.end(row), "empty row");
        double squares = 0;
        int previous = -1;
        for (int entry = examples.start(row); entry < examples.end(row); entry++) {
            assertTrue(examples.index(entry) > previous && examples.index(entry) < features);
            previous = examples.index(entry);
            squares += examples.value(entry) * examples.value(entry);
        }
        assertEquals(1, squares, 1e-4);
    }

    private static long spam(Examples examples) {
        return IntStream.range(0, examples.size())
                .filter(row -> examples.label(row) == 1)
                .count();
    }

    private static long count(Predicate<HashedMail> which) throws IOException {
        return count(which, mail -> 1);
    }

    private static long count(Predicate<HashedMail> which, ToIntFunction<HashedMail> what) throws IOException {
        return SpamAssassin.readMails().stream().filter(which).mapToInt(what).sum();
    }
}
