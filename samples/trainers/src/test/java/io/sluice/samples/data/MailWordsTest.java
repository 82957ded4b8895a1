package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MailWordsTest {

    @Test
    void countsBodyWordsInLowerCase() {
        assertEquals(words("free", 2, "money", 1), count("X: y\n\nFree MONEY, free!"));
    }

    @Test
    void takesLettersDigitsDollarsAndHighBytes() {
        assertEquals(words("$100", 1, "caf\u00e9", 1, "don", 1), count("X: y\n\n$100 caf\u00e9 don't"));
    }

    @Test
    void leavesOutWordsThatAreTooShortOrTooLong() {
        assertEquals(words("ab", 1, "a".repeat(20), 1), count("X: y\n\na ab " + "a".repeat(20) + " " + "a".repeat(21)));
    }

    @Test
    void keepsSubjectWordsApartAndLeavesOutOtherHeaders() {
        assertEquals(
                words("subject:win", 1, "subject:now", 1, "win", 1),
                count("Received: from spam\nSUBJECT: Win\n\tnow\nX-Spam: yes\n spam\n\nwin"));
    }

    @Test
    void readsLinesThatEndInCarriageReturns() {
        assertEquals(words("subject:one", 1, "two", 1, "three", 1), count("Subject: one\r\n\r\ntwo\r\nthree\r\n"));
    }

    @Test
    void skipsBase64Lines() {
        assertEquals(words("after", 1), count("X: y\n\n" + "ab+/".repeat(15) + "\nafter"));
        assertEquals(words("ab", 14), count("X: y\n\n" + "ab+/".repeat(14)));
    }

    @Test
    void findsNothingInEmptyMail() {
        assertEquals(Map.of(), count(""));
        assertEquals(Map.of(), count("X: y\n\n"));
    }

    private static Map<Integer, Integer> count(String mail) {
        return MailWords.count(mail.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static Map<Integer, Integer> words(Object... wordsAndCounts) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < wordsAndCounts.length; i += 2) {
            byte[] word = wordsAndCounts[i].toString().getBytes(StandardCharsets.ISO_8859_1);
            counts.put(MurmurHash3.hash(word), (Integer) wordsAndCounts[i + 1]);
        }
        return counts;
    }
}
