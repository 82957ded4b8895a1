package io.sluice.samples.data;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Writes e-mails as a file of hashed words.
 *
 * <p>The file is gzip over the following bytes. A {@code varint} is a non-negative int, 7 bits a byte, low bits first,
 * the top bit set on every byte except the last.
 *
 * <pre>
 * 4 bytes   magic {@value #MAGIC}, big-endian: the ASCII letters "SPAM"
 * 1 byte    version {@value #VERSION}
 * varint    number of words in the dictionary
 * varint    number of e-mails
 * 4 bytes   for each word of the dictionary: its 32-bit hash, big-endian. A word's place here is its rank:
 *           words in more e-mails come first, ties go by ascending hash
 * then for each e-mail, in the order of the corpus:
 * 1 byte    flags: {@value #SPAM} spam, {@value #TEST} held out for testing
 * varint    number of its distinct words, at least 1
 * varint    for each of its words, by ascending rank: ranks skipped since the previous one
 * varint    for each of its words, in the same order: its count less 1
 * </pre>
 *
 * <p>The same e-mails always give the same bytes from the same version of the compressor: nothing depends on the time
 * or the machine.
 */
final class HashedMailWriter {

    static final int MAGIC = 0x5350414D;
    static final int VERSION = 1;
    static final int SPAM = 1;
    static final int TEST = 2;

    private final DataOutputStream out;
    private final List<HashedMail> mails;
    private final Map<Integer, Integer> rankByHash = new HashMap<>();

    private HashedMailWriter(OutputStream out, List<HashedMail> mails) {
        this.out = new DataOutputStream(new BufferedOutputStream(out));
        this.mails = mails;
    }

    /**
     * Returns the file's bytes.
     *
     * @throws IOException never in practice: nothing is written but memory
     */
    static byte[] write(List<HashedMail> mails) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new SmallestGzip(bytes)) {
            HashedMailWriter writer = new HashedMailWriter(gzip, mails);
            writer.writeHead();
            for (HashedMail mail : mails) {
                writer.writeMail(mail);
            }
            writer.out.flush();
        }
        return bytes.toByteArray();
    }

    private void writeHead() throws IOException {
        List<Integer> dictionary = dictionary();
        out.writeInt(MAGIC);
        out.writeByte(VERSION);
        writeVarint(dictionary.size());
        writeVarint(mails.size());
        for (int hash : dictionary) {
            rankByHash.put(hash, rankByHash.size());
            out.writeInt(hash);
        }
    }

    private List<Integer> dictionary() {
        Map<Integer, Integer> mailsByHash = new TreeMap<>();
        for (HashedMail mail : mails) {
            for (int hash : mail.hashes()) {
                mailsByHash.merge(hash, 1, Integer::sum);
            }
        }
        // The sort is stable, so ties keep the map's ascending order.
        return mailsByHash.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private void writeMail(HashedMail mail) throws IOException {
        Map<Integer, Integer> countByRank = new TreeMap<>();
        for (int i = 0; i < mail.hashes().length; i++) {
            countByRank.put(rankByHash.get(mail.hashes()[i]), mail.counts()[i]);
        }
        out.writeByte((mail.spam() ? SPAM : 0) | (mail.test() ? TEST : 0));
        writeVarint(countByRank.size());
        int next = 0;
        for (int rank : countByRank.keySet()) {
            writeVarint(rank - next);
            next = rank + 1;
        }
        for (int count : countByRank.values()) {
            writeVarint(count - 1);
        }
    }

    private void writeVarint(int value) throws IOException {
        int rest = value;
        while (rest > 0x7F) {
            out.writeByte(rest | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    private static final class SmallestGzip extends GZIPOutputStream {

        SmallestGzip(OutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_COMPRESSION);
        }
    }
}
