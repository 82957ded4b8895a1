package io.sluice.samples.data;

/**
 * A cursor over one line of a libsvm file. It steps over one label, index or value at a time, and has its position, so
 * a fault is reported by line and column.
 */
final class LibSvmLine {

    private static final int MOST_DIGITS = 9;
    /**
     * Maximum number of characters to quote in an error: enough to find the position, but few, because the file may be
     * confidential.
     */
    private static final int LONGEST_QUOTE = 12;

    /** Pattern of control characters of terminals in Latin-1. */
    private static final String CONTROL = "[\\x00-\\x1f\\x7f-\\x9f]";

    private final String file;
    private final int number;
    private final String text;
    private int tokenStart;
    private int position;

    /**
     * Creates a cursor at the start of a line.
     *
     * @param file   the file's name, for messages
     * @param number the line's number, counted from 1
     * @param text   the line, with or without a comment
     */
    LibSvmLine(String file, int number, String text) {
        int comment = text.indexOf('#');
        this.file = file;
        this.number = number;
        this.text = comment < 0 ? text : text.substring(0, comment);
    }

    /** Steps over blanks, and returns whether nothing follows them. */
    boolean atEnd() {
        while (position < text.length() && isBlank(text.charAt(position))) {
            position++;
        }
        return position == text.length();
    }

    /** Steps over a label: -1, 0 or 1. */
    int label() {
        float label = decimal(token());
        if (label != 1 && label != 0 && label != -1) {
            throw expected("a label (0 or 1, or -1 or +1)");
        }
        if (position < text.length() && !isBlank(text.charAt(position))) {
            throw expectedHere("a blank after the label");
        }
        return (int) label;
    }

    /**
     * Steps over an index and its colon. The index is greater than {@code previous} and at most {@code
     * greatest}.
     */
    int index(int previous, int greatest) {
        int index = digits(token());
        if (index < 1 || index > greatest) {
            throw expected("an index from 1 to " + greatest);
        }
        if (index <= previous) {
            throw expected("an index above " + previous + ", as indices ascend");
        }
        if (position == text.length() || text.charAt(position) != ':') {
            throw expectedHere("a colon after the index");
        }
        position++;
        return index;
    }

    /** Steps over a value, which follows directly after its index's colon. */
    float value() {
        float value = decimal(token());
        if (Float.isNaN(value)) {
            throw expected("a finite number");
        }
        if (position < text.length() && !isBlank(text.charAt(position))) {
            throw expectedHere("a blank after the value");
        }
        return value;
    }

    /** Returns the exception that states what was expected in place of the previous token. */
    DataFormatException expected(String what) {
        return new DataFormatException(
                file + ":" + number + ":" + (tokenStart + 1) + ": expected " + what + ", found " + found());
    }

    private String found() {
        if (tokenStart == text.length()) {
            return "the end of the line";
        }
        int end = Math.clamp(position, tokenStart + 1, tokenStart + LONGEST_QUOTE);
        return '"' + text.substring(tokenStart, end).replaceAll(CONTROL, "?") + '"';
    }

    private DataFormatException expectedHere(String what) {
        tokenStart = position;
        return expected(what);
    }

    private String token() {
        tokenStart = position;
        while (position < text.length() && !isBlank(text.charAt(position)) && text.charAt(position) != ':') {
            position++;
        }
        return text.substring(tokenStart, position);
    }

    /**
     * Parses a token of decimal digits; returns 0 if it has any other character, is empty or has more than MOST_DIGITS
     * digits.
     */
    private static int digits(String token) {
        boolean good = !token.isEmpty()
                && token.length() <= MOST_DIGITS
                && token.chars().allMatch(c -> c >= '0' && c <= '9');
        return good ? Integer.parseInt(token) : 0;
    }

    /** Parses a token in decimal notation; returns NaN if it is malformed or not finite. */
    private static float decimal(String token) {
        if (!token.chars().allMatch(c -> c >= '0' && c <= '9' || "+-.eE".indexOf(c) >= 0)) {
            return Float.NaN;
        }
        try {
            float value = Float.parseFloat(token);
            return Float.isFinite(value) ? value : Float.NaN;
        } catch (NumberFormatException e) {
            return Float.NaN;
        }
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
