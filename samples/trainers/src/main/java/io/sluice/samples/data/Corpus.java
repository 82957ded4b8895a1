package io.sluice.samples.data;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Documents as sequences of word numbers, split into training documents and held-out documents. Nothing changes the
 * arrays.
 *
 * @param name name for reports
 * @param words number of different words; every number is less
 * @param train training documents, none of them empty
 * @param heldOut held-out documents, to measure the perplexity
 */
public record Corpus(String name, int words, List<int[]> train, List<int[]> heldOut) implements NamedData {
    private static final int HELD_OUT_EVERY = 10;

    /** Checks that nothing is null; the sources have checked everything else. */
    public Corpus {
        Objects.requireNonNull(name, "name");
        train = List.copyOf(train);
        heldOut = List.copyOf(heldOut);
    }

    /** Holds out every tenth of all documents. */
    static Corpus split(String name, int words, List<int[]> all) {
        return new Corpus(name, words, part(all, false), part(all, true));
    }

    private static List<int[]> part(List<int[]> all, boolean heldOut) {
        return IntStream.range(0, all.size())
                .filter(document -> (document % HELD_OUT_EVERY == HELD_OUT_EVERY - 1) == heldOut)
                .mapToObj(all::get)
                .toList();
    }

    /** Number of words in all training documents. */
    public int size() {
        return train.stream().mapToInt(document -> document.length).sum();
    }

    /** Number of words in the longest training document. */
    public int longest() {
        return train.stream().mapToInt(document -> document.length).max().orElse(0);
    }

    /**
     * A fingerprint of the training documents.
     *
     * @return a text that is equal for equal documents and almost always different for others
     */
    public String fingerprint() {
        CRC32C sum = new CRC32C();
        for (int[] document : train) {
            add(sum, document.length);
            for (int word : document) {
                add(sum, word);
            }
        }
        return "%d (checksum %08x)".formatted(train.size(), sum.getValue());
    }

    private static void add(CRC32C sum, int bits) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            sum.update(bits >>> shift);
        }
    }
}
