package io.sluice.cli.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * SHA-256 over the files of a folder, in order of their names: for each its name, a zero byte, its contents, and the
 * contents' length. Files compressed with gzip count with their uncompressed contents, because compressors differ in
 * their output.
 */
final class ContentHash {
    private static final String GZIP = ".gz";

    private ContentHash() {}

    /**
     * Computes the hash of a folder without folders in it.
     *
     * @param folder folder to read
     * @return the hash in hexadecimal
     * @throws IOException if a file cannot be read, or is not in the format that its name promises
     */
    static String of(Path folder) throws IOException {
        MessageDigest digest = sha256();
        for (Path file : files(folder)) {
            digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            try (InputStream contents = open(file);
                    OutputStream into = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
                long length = contents.transferTo(into);
                digest.update(Long.toString(length).getBytes(StandardCharsets.UTF_8));
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static InputStream open(Path file) throws IOException {
        InputStream in = Files.newInputStream(file);
        if (!file.toString().endsWith(GZIP)) {
            return in;
        }
        try {
            return new GZIPInputStream(in);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
