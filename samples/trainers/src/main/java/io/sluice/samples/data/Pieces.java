package io.sluice.samples.data;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Cuts documents into pieces, to learn from which document a piece is. The features of a piece are its words; their
 * values are the numbers of their occurrences in the piece. Every tenth piece is held out.
 */
public final class Pieces {
    /**
     * Number of words of a piece; the last piece of a document has fewer, or is omitted if it has no more than half of
     * them.
     */
    public static final int WORDS = 100;

    private static final int HELD_OUT_EVERY = 10;

    private Pieces() {}

    /** Cuts all documents, the training documents before the held-out ones. The number of a document is its class. */
    public static Dataset of(Corpus corpus) {
        Examples.Builder train = new Examples.Builder();
        Examples.Builder test = new Examples.Builder();
        List<int[]> documents = Stream.concat(corpus.train().stream(), corpus.heldOut().stream())
                .toList();
        int pieces = 0;
        for (int document = 0; document < documents.size(); document++) {
            int[] words = documents.get(document);
            for (int from = 0; from + WORDS / 2 < words.length; from += WORDS) {
                pieces++;
                Examples.Builder rows = pieces % HELD_OUT_EVERY == 0 ? test : train;
                addWords(Arrays.copyOfRange(words, from, Math.min(from + WORDS, words.length)), rows);
                rows.endRow(document);
            }
        }
        return new Dataset(corpus.name(), corpus.words(), train.build(), test.build());
    }

    private static void addWords(int[] piece, Examples.Builder row) {
        Arrays.sort(piece);
        int same = 0;
        for (int at = 0; at < piece.length; at++) {
            same++;
            if (at == piece.length - 1 || piece[at + 1] != piece[at]) {
                row.add(piece[at], same);
                same = 0;
            }
        }
    }
}
