package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RatingsFileTest {
    private static final String HEADER = "userId,movieId,rating,timestamp\n";

    @TempDir
    private Path folder;

    private RatingSet read(String text) throws IOException {
        Files.writeString(folder.resolve("ratings.csv"), text);
        return RatingsFile.read(folder);
    }

    private static String lines(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "%d,%d,%.1f,126075%d\n".formatted(7 + i % 3, 1_000 - 10 * i, i / 2.0, i))
                .collect(Collectors.joining());
    }

    @Test
    void numbersUsersAndFilmsByAscendingIdAndHoldsOutEveryTenth() throws IOException {
        RatingSet data = read(HEADER + lines(20));
        assertEquals("movielens", data.name());
        assertEquals(3, data.users());
        assertEquals(20, data.items());
        assertEquals(18, data.train().size());
        assertEquals(2, data.test().size());
        assertArrayEquals(new float[] {9 % 3, 19 - 9, 4.5f}, new float[] {
            data.test().user(0), data.test().item(0), data.test().value(0)
        });
        assertArrayEquals(new float[] {10 % 3, 19 - 10, 5}, new float[] {
            data.train().user(9), data.train().item(9), data.train().value(9)
        });
        assertEquals((190 - 9 - 19) / 2.0f / 18, data.train().mean());
    }

    @Test
    void tellsOtherRatingsFromTheseByTheFingerprint() throws IOException {
        String fingerprint = read(HEADER + lines(20)).fingerprint();
        assertEquals(fingerprint, read(HEADER + lines(20)).fingerprint());
        assertNotEquals(
                fingerprint, read(HEADER + lines(20).replace(",5.0,", ",5.5,")).fingerprint());
        assertNotEquals(
                fingerprint,
                read(HEADER + lines(20).replace("7,1000", "8,1000")).fingerprint());
    }

    @Test
    void namesTheMissingFile() {
        Path missing = folder.resolve("none");
        assertEquals(
                missing.toString(),
                assertThrows(NoSuchFileException.class, () -> RatingsFile.read(missing))
                        .getFile());
        String said = assertThrows(DataFormatException.class, () -> RatingsFile.read(folder))
                .getMessage();
        assertTrue(said.startsWith("the folder " + folder + " has no file ratings.csv, expected"), said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1,2,3",
                "1,2,3,4,5",
                "1,2,3.5,",
                "",
                "a,2,3,4",
                "1,2,x,4",
                "1,2,NaN,4",
                "1,2,1e40,4",
                "-1,2,3,4",
                "1,99999999999,3,4",
                "1;2;3;4"
            })
    void namesTheLineThatIsNoRating(String line) {
        String said = assertThrows(DataFormatException.class, () -> read(HEADER + lines(12) + line + "\n"))
                .getMessage();
        assertEquals(
                folder.resolve("ratings.csv") + ":14: expected four numbers, userId,movieId,rating,timestamp, such as"
                        + " 1,31,2.5,1260759144",
                said);
    }

    @Test
    void refusesAnotherFileAndOneWithFewRatings() {
        Path file = folder.resolve("ratings.csv");
        assertEquals(
                file + ":1: expected the line userId,movieId,rating,timestamp",
                assertThrows(DataFormatException.class, () -> read(lines(12))).getMessage());
        assertEquals(
                file + ":11: expected at least 10 ratings, found 9",
                assertThrows(DataFormatException.class, () -> read(HEADER + lines(9)))
                        .getMessage());
    }
}
