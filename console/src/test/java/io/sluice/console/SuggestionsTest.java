package io.sluice.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class SuggestionsTest {
    @Test
    void theMostSimilarNamesAreSuggested() {
        List<String> names = List.of("--order", "--max-workers", "--clocks", "--workers");
        assertEquals("; did you mean --workers?", Suggestions.question("--worker", names));
        List<String> ties = List.of("--clocks", "--blocks");
        assertEquals("; did you mean --clocks or --blocks?", Suggestions.question("--locks", ties));
    }

    @Test
    void swappedLettersCountOnce() {
        assertEquals(List.of("train"), Suggestions.similar("trian", List.of("stat", "train", "tree", "driver")));
    }

    @Test
    void aNameThatResemblesNoneHasNoSuggestion() {
        assertEquals("", Suggestions.question("juggle", List.of("train", "server")));
        assertEquals("", Suggestions.question("-x", List.of("-h", "-V")));
    }
}
