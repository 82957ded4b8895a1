package io.sluice.codecs.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.codecs.seal.KeySchedule;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSecretTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("secret");
    }

    @Test
    void aFreshSecretIsItsOwnersAloneAndUnlikeAnyOther() throws IOException {
        Path other = folder.resolve("other");
        ClusterSecret.create(file);
        ClusterSecret.create(other);

        assertNotEquals(Files.readString(file), Files.readString(other));
        if (isPosix()) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
        assertArrayEquals(proofKey(ClusterSecret.read(file)), proofKey(ClusterSecret.read(file)));
        assertFalse(Arrays.equals(proofKey(ClusterSecret.read(file)), proofKey(ClusterSecret.read(other))));
        assertThrows(FileAlreadyExistsException.class, () -> ClusterSecret.create(file), "nothing is overwritten");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw-rw----", "rw----r--", "rw-----w-", "r--r--r--"})
    void aFileThatOthersCanReadOrWriteIsRefused(String permissions) throws IOException {
        assumeTrue(isPosix(), "file system without POSIX permissions");
        ClusterSecret.create(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));

        String message = refusal();
        assertTrue(message.contains(permissions) && message.contains("chmod 600"), message);
        assertFalse(message.contains(Files.readString(file).strip()), "the message does not have the secret");
    }

    @Test
    void lineEndsDoNotCount() throws IOException {
        write("0123456789abcdef");
        byte[] key = proofKey(ClusterSecret.read(file));
        write("0123456789abcdef\r\n\n");
        assertArrayEquals(key, proofKey(ClusterSecret.read(file)));
        write(" 0123456789abcdef");
        assertFalse(Arrays.equals(key, proofKey(ClusterSecret.read(file))), "all else does");
    }

    @Test
    void aSecretIsOfTheRightLength() throws IOException {
        write("0123456789abcde\n");
        assertTrue(refusal().contains("has 15 bytes, expected 16"), refusal());
        write("x".repeat(ClusterSecret.MOST_BYTES + 1));
        assertTrue(refusal().contains("4097 bytes"), refusal());
        assertThrows(IllegalArgumentException.class, () -> ClusterSecret.of(new byte[15]));
    }

    @Test
    void whatIsNotThereIsNamedWithWhatToDo() {
        assertTrue(refusal().contains(file + ": make one with 'sluice secret"), refusal());
    }

    @Test
    void isNeverPrinted() {
        assertEquals(
                "ClusterSecret",
                ClusterSecret.of("0123456789abcdef".getBytes(US_ASCII)).toString());
    }

    private String refusal() {
        return assertThrows(IllegalArgumentException.class, () -> ClusterSecret.read(file))
                .getMessage();
    }

    private void write(String content) throws IOException {
        Files.writeString(file, content);
        if (isPosix()) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }

    private boolean isPosix() {
        return folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static byte[] proofKey(ClusterSecret secret) {
        return new KeySchedule(secret).proofs().getEncoded();
    }
}
