package io.sluice.samples.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Reads the ratings of MovieLens as {@code sluice data movielens} writes them: a header, and lines of {@code
 * userId,movieId,rating,timestamp}. Users and films are numbered by ascending id. Every tenth rating, in the order of
 * the file, is held out.
 */
public final class RatingsFile {
    /** Name of the file in the folder of the data set. */
    public static final String NAME = "ratings.csv";

    private static final String HEADER = "userId,movieId,rating,timestamp";
    private static final Pattern RATING = Pattern.compile("(\\d{1,9}),(\\d{1,9}),(\\d{1,3}(?:\\.\\d{1,6})?),\\d+");
    private static final int FEWEST = 10;

    private final Path file;
    private final List<Integer> userIds = new ArrayList<>();
    private final List<Integer> filmIds = new ArrayList<>();
    private final List<Float> ratings = new ArrayList<>();

    private RatingsFile(Path file) {
        this.file = file;
    }

    /**
     * Reads the data set.
     *
     * @param folder folder with the file {@value #NAME}
     * @return the ratings
     * @throws DataFormatException if the folder has no such file, or a line is not as expected; the message starts with
     *     {@code file:line:}
     * @throws IOException if the file cannot be read
     */
    public static RatingSet read(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!Files.exists(folder.resolve(NAME))) {
            throw new DataFormatException("the folder " + folder + " has no file " + NAME
                    + ", expected the data set movielens, which 'sluice data movielens DIR' obtains");
        }
        RatingsFile reader = new RatingsFile(folder.resolve(NAME));
        reader.readLines();
        return reader.numbered();
    }

    private void readLines() throws IOException {
        // In Latin-1 no byte is malformed, so a file of another kind is refused with the number of its line.
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            if (!HEADER.equals(in.readLine())) {
                throw new DataFormatException(file + ":1: expected the line " + HEADER);
            }
            int line = 2;
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                readRating(text, line++);
            }
            if (ratings.size() < FEWEST) {
                throw new DataFormatException(
                        file + ":" + line + ": expected at least " + FEWEST + " ratings, found " + ratings.size());
            }
        }
    }

    private void readRating(String text, int line) {
        Matcher columns = RATING.matcher(text);
        if (!columns.matches()) {
            throw new DataFormatException(
                    file + ":" + line + ": expected four numbers, " + HEADER + ", such as 1,31,2.5,1260759144");
        }
        userIds.add(Integer.valueOf(columns.group(1)));
        filmIds.add(Integer.valueOf(columns.group(2)));
        ratings.add(Float.valueOf(columns.group(3)));
    }

    private RatingSet numbered() {
        int[] users =
                userIds.stream().mapToInt(Integer::intValue).sorted().distinct().toArray();
        int[] films =
                filmIds.stream().mapToInt(Integer::intValue).sorted().distinct().toArray();
        float[] values = new float[ratings.size()];
        IntStream.range(0, values.length).forEach(i -> values[i] = ratings.get(i));
        Ratings all = new Ratings(numbers(userIds, users), numbers(filmIds, films), values);
        return RatingSet.split("movielens", users.length, films.length, all);
    }

    private static int[] numbers(List<Integer> ids, int[] ascending) {
        return ids.stream().mapToInt(id -> Arrays.binarySearch(ascending, id)).toArray();
    }
}
