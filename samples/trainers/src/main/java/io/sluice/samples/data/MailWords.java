package io.sluice.samples.data;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the words of one raw e-mail, each represented by its 32-bit {@link MurmurHash3}.
 *
 * <p>It reads the text of the {@code Subject} header and the body. It omits all other headers, because in this corpus
 * they show how a message was collected (mailing-list software, the collectors' mail hosts, the date), and a classifier
 * could score well by them without learning anything about spam. The body is read unchanged: MIME parts are not decoded
 * and HTML mark-up is not removed, so {@code font} and {@code href} are words too. A line that is one run of 60 or more
 * base64 characters is skipped.
 *
 * <p>Words: upper-case ASCII letters are lower-cased; a word is a longest run of ASCII letters, digits,
 * {@code $} and bytes from 0x80 to 0xFF (so text in other scripts has words too, whatever its charset), and it counts
 * if it has 2 to 20 bytes. A word of the subject is counted as {@code subject:} followed by the word, and so as a
 * different word from the same word in the body.
 */
final class MailWords {

    private static final int SHORTEST = 2;
    private static final int LONGEST = 20;
    private static final int BASE64_LINE = 60;
    private static final String SUBJECT = "subject:";

    private final Map<Integer, Integer> counts = new TreeMap<>();

    private MailWords() {}

    /**
     * Counts the words of an e-mail.
     *
     * @param mail headers, an empty line, and the body; lines end with LF or CRLF
     * @return number of occurrences of each word by its hash, ascending by hash
     */
    static Map<Integer, Integer> count(byte[] mail) {
        MailWords words = new MailWords();
        boolean inBody = false;
        boolean inSubject = false;
        for (String line : new String(mail, StandardCharsets.ISO_8859_1).split("\r?\n", -1)) {
            if (inBody) {
                words.addBodyLine(line);
            } else if (line.isEmpty()) {
                inBody = true;
            } else if (!isContinuation(line)) {
                inSubject = startsSubject(line);
                words.addSubject(inSubject ? line.substring(SUBJECT.length()) : "");
            } else if (inSubject) {
                words.addSubject(line);
            }
        }
        return words.counts;
    }

    private static boolean isContinuation(String headerLine) {
        return headerLine.charAt(0) == ' ' || headerLine.charAt(0) == '\t';
    }

    private static boolean startsSubject(String headerLine) {
        return headerLine.regionMatches(true, 0, SUBJECT, 0, SUBJECT.length());
    }

    private void addSubject(String text) {
        add(SUBJECT, text);
    }

    private void addBodyLine(String line) {
        if (line.length() < BASE64_LINE || !line.chars().allMatch(MailWords::isBase64)) {
            add("", line);
        }
    }

    private void add(String prefix, String text) {
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || !isWordCharacter(text.charAt(i))) {
                if (i - start >= SHORTEST && i - start <= LONGEST) {
                    addWord(prefix + text.substring(start, i));
                }
                start = i + 1;
            }
        }
    }

    private void addWord(String word) {
        byte[] bytes = word.getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] >= 'A' && bytes[i] <= 'Z') {
                bytes[i] += 'a' - 'A';
            }
        }
        counts.merge(MurmurHash3.hash(bytes), 1, Integer::sum);
    }

    private static boolean isWordCharacter(int c) {
        return isAsciiLetterOrDigit(c) || c == '$' || c >= 0x80;
    }

    private static boolean isBase64(int c) {
        return isAsciiLetterOrDigit(c) || c == '+' || c == '/' || c == '=';
    }

    private static boolean isAsciiLetterOrDigit(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }
}
