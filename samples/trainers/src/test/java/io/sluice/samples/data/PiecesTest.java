package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PiecesTest {
    private static int[] ofWord(int word, int length) {
        int[] document = new int[length];
        Arrays.fill(document, word);
        return document;
    }

    @Test
    void areCutFromEachDocumentAndMoreThanHalf() {
        int[] mixed = ofWord(7, 251);
        mixed[150] = 3;
        mixed[160] = 9;
        Dataset pieces = Pieces.of(new Corpus("texts", 10, List.of(ofWord(5, 50), mixed), List.of(ofWord(1, 200))));
        Examples train = pieces.train();
        assertEquals("texts", pieces.name());
        assertEquals(10, pieces.features());
        assertEquals(3, pieces.classes());
        assertEquals(5, train.size()); // none of the first document, 3 of the second, and 2
        assertEquals(0, pieces.test().size());
        assertEquals(List.of(1f, 1f, 1f, 2f, 2f), labels(train));
        assertEquals(1, train.end(0));
        assertEquals(100, train.value(0));
        assertEquals(
                List.of(3, 7, 9),
                IntStream.range(train.start(1), train.end(1))
                        .map(train::index)
                        .boxed()
                        .toList());
        assertEquals(98, train.value(train.start(1) + 1));
        assertEquals(51, train.value(train.start(2)));
    }

    @Test
    void areHeldOutOneInTen() {
        Dataset pieces = Pieces.of(new Corpus("texts", 2, List.of(ofWord(0, 2_400), ofWord(1, 600)), List.of()));
        assertEquals(27, pieces.train().size());
        assertEquals(List.of(0f, 0f, 1f), labels(pieces.test()));
    }

    private static List<Float> labels(Examples examples) {
        return IntStream.range(0, examples.size()).mapToObj(examples::label).toList();
    }
}
