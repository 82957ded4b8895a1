package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Data that cannot be read, and terms that a workload does not fit: one line that names the fault. */
@Timeout(400)
@Isolated("takes over standard error")
class RefusedInputTest {
    @TempDir
    private Path folder;

    private static String refusal(int code, String command, Object... more) {
        String[] words = command.split(" ");
        Object[] all = new Object[words.length + more.length];
        System.arraycopy(words, 0, all, 0, words.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return InThisJvm.refusal(code, all);
    }

    private static String dataRefusal(String command, Path data) {
        return refusal(ExitCode.DATA, command + " --data", data);
    }

    @Test
    void aMissingFileIsNamed() {
        Path missing = folder.resolve("mails.libsvm");
        for (String command : new String[] {"train lr", "worker lr", "train mf"}) {
            assertEquals("sluice: there is no file " + missing, dataRefusal(command, missing));
        }
    }

    @Test
    void aCorruptFileIsNamedWithTheLineAndTheColumn() throws IOException {
        Path corrupt = Files.writeString(folder.resolve("mails.libsvm"), "1 1:0.5 2:1\n0 1:0.5 2:x\n");
        String said = dataRefusal("train lr", corrupt);
        assertTrue(said.startsWith("sluice: " + corrupt + ":2:"), said);
        Path ratings = Files.writeString(folder.resolve("ratings.csv"), "userId,movieId,rating,timestamp\n1,2,3\n");
        String line = dataRefusal("train mf --dataset movielens", folder);
        assertTrue(line.startsWith("sluice: " + ratings + ":2: expected four numbers"), line);
    }

    @Test
    void aBinaryFileIsRefusedLikeAnyOther() throws IOException {
        byte[] noise = new byte[4_096];
        new Random(3).nextBytes(noise);
        Path binary = Files.write(folder.resolve("mails.libsvm"), noise);
        String said = dataRefusal("train lr --reference", binary);
        assertTrue(said.startsWith("sluice: " + binary + ":1:1: "), said);
        assertFalse(said.chars().anyMatch(Character::isISOControl), "it cannot upset a terminal: " + said);
    }

    @Test
    void aFolderWithoutADataSetIsRefused() throws IOException {
        String folderHasNo = "sluice: the folder " + folder + " has no file ";
        assertEquals(
                folderHasNo + "spam-assassin.bin.gz, expected the data set spam-assassin or a file in libsvm format",
                dataRefusal("train lr", folder));
        String said = dataRefusal("train mf", folder);
        assertTrue(said.startsWith(folderHasNo + "ratings.csv, expected"), said);
        MadeUpImages.write(folder, "train", 100);
        String line = dataRefusal("train mlr", folder);
        assertTrue(line.contains("t10k-labels-idx1-ubyte"), line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--factors most | 'most'",
                "--factors joint:2 --reference | --factors is joint:2, expected all with --reference",
                "--factors all --rule adagrad:0.1 | --rule is adagrad:0.1, expected sum with --factors all",
                "--factors all --filter dvf:0.1 | --filter is dvf:0.1, expected none with --factors all",
                "--factors all --protocol push-pull" + " | --protocol is push-pull, expected update with --factors all",
                "--protocol peer | --protocol is peer, expected update: workers send each other vectors alone",
                "--factors all --multicast random:1;sync=2"
                        + " | --multicast is random:1;sync=2, expected all without --protocol peer",
                "--factors all --protocol peer --workers 4 --multicast random:2"
                        + " | multicast is 'random:2', expected all, random:Q, fixed:Q or round-robin:Q",
                "--factors all --protocol peer --on-death shrink"
                        + " | on death is shrink, expected fail with protocol peer",
                "--factors all --consistency tap | factor table weights is declared with the consistency tap"
            })
    void vectorsDoNotFitAllTerms(String options, String fault) {
        String line = refusal(ExitCode.USAGE, "train mlr --classes 20 --features 50 --examples 200 " + options);
        assertTrue(line.contains(fault), line);
    }

    @Test
    void topicsDoNotFitAllTerms() {
        assertEquals(
                "sluice: the rule is adam:0.1, expected sum, because the parameters of topics are counts",
                refusal(ExitCode.USAGE, "train lda --rule adam:0.1"));
        String elastic = refusal(ExitCode.USAGE, "train lda --max-workers 5");
        assertTrue(elastic.startsWith("sluice: the terms let workers join and leave, expected"), elastic);
        String words = refusal(ExitCode.USAGE, "train lda --stop-words", folder);
        assertTrue(words.contains("expected none without --data"), words);
        assertEquals("sluice: topics is 0, expected 1 to 65536", refusal(ExitCode.USAGE, "train lda --topics 0"));
    }

    @Test
    void aMissingDriverIsNamedWithTheCommandThatStartsOne() {
        Path none = folder.resolve("none");
        String said = refusal(ExitCode.UNAVAILABLE, "stat --once --aeron-dir", none);
        assertTrue(said.startsWith("sluice: no media driver runs in " + none), said);
        assertTrue(said.endsWith("(sluice driver --aeron-dir " + none + " starts one)"), said);
        String interval = refusal(ExitCode.USAGE, "stat --interval 0 --aeron-dir", folder);
        assertTrue(interval.contains("--interval is 0"), interval);
    }
}
