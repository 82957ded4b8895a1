package io.sluice.samples.data;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Documents as numbers of words, split into documents to learn from and documents held out. Nothing changes the arrays.
 *
 * @param name name for reports
 * @param words number of different words; every number is less
 * @param train documents to learn from, none of them empty
 * @param heldOut documents held out to measure the perplexity of
 */
public record Corpus(String name, int words, List<int[]> train, List<int[]> heldOut) implements NamedData {
    private static final int HELD_OUT_EVERY = 10;

    /** Checks that nothing is null; the sources have checked the rest. */
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

    /** Words in all documents to learn from. */
    public int size() {
        return train.stream().mapToInt(document -> document.length).sum();
    }

    /** Words in the longest document to learn from. */
    public int longest() {
        return train.stream().mapToInt(document -> document.length).max().orElse(0);
    }

    /**
     * A fingerprint of the documents to learn from.
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
