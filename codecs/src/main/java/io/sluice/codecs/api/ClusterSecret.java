package io.sluice.codecs.api;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.codecs.seal.KeySchedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that the nodes of a cluster share. It is stored in a file that only its owner can read, never leaves the
 * process, and is never printed.
 *
 * <p>Keys are derived from it without stretching ({@link KeySchedule}): it has to be random, as {@link #create} makes
 * it, not a password that people can remember.
 */
public final class ClusterSecret {
    /** Minimum length of a secret, in bytes: a key of 128 bits. */
    public static final int LEAST_BYTES = 16;

    /** Maximum size of a file with a secret, in bytes. */
    public static final int MOST_BYTES = 4_096;

    private static final int FRESH_BYTES = 32;
    private static final Set<PosixFilePermission> OWNER_ALONE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> FOREIGN = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private final byte[] bytes;

    private ClusterSecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Wraps a secret that was not read from a file.
     *
     * @param bytes bytes of the secret, which are copied, {@value #LEAST_BYTES} to {@value #MOST_BYTES}
     * @return the secret
     * @throws IllegalArgumentException if there are too few or too many; the message has their number, not the bytes
     */
    public static ClusterSecret of(byte[] bytes) {
        return checked(bytes.clone(), "the cluster secret");
    }

    /**
     * Reads a secret. Trailing line ends are ignored, since editors and shells add them.
     *
     * @param file file that its owner alone can read and write
     * @return the secret
     * @throws IllegalArgumentException if the file does not exist, others can read or write it, or the secret is too
     *     short or too long; the message names the file and the remedy
     */
    public static ClusterSecret read(Path file) {
        if (Files.isDirectory(file)) {
            throw new IllegalArgumentException("the secret file " + file + " is a folder, expected a file in it");
        }
        try {
            requireOwnerAlone(file);
            long size = Files.size(file);
            if (size > MOST_BYTES) {
                throw new IllegalArgumentException("the secret file " + file + " has " + size + " bytes, expected "
                        + LEAST_BYTES + " to " + MOST_BYTES);
            }
            byte[] content = Files.readAllBytes(file);
            int length = content.length;
            while (length > 0 && (content[length - 1] == '\n' || content[length - 1] == '\r')) {
                length--;
            }
            return checked(Arrays.copyOf(content, length), "the secret in " + file);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    "there is no secret file " + file + ": make one with 'sluice secret " + file
                            + "' and copy it to every host",
                    e);
        } catch (IOException e) {
            throw new IllegalArgumentException("the secret file " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static void requireOwnerAlone(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return; // no POSIX permissions here: the folder's access list, set by its owner, decides
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (permissions.stream().anyMatch(FOREIGN::contains)) {
            throw new IllegalArgumentException("the secret file " + file + " is open to others ("
                    + PosixFilePermissions.toString(permissions) + "): expected rw-------, so chmod 600 it");
        }
    }

    private static ClusterSecret checked(byte[] bytes, String what) {
        if (bytes.length < LEAST_BYTES || bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    what + " has " + bytes.length + " bytes, expected " + LEAST_BYTES + " to " + MOST_BYTES);
        }
        return new ClusterSecret(bytes);
    }

    /**
     * Creates a fresh secret of 256 random bits, written as hexadecimal digits.
     *
     * @param file file to create, readable and writable by its owner alone; no file may have this name yet
     * @throws IOException if it cannot be created
     */
    public static void create(Path file) throws IOException {
        byte[] random = new byte[FRESH_BYTES];
        new SecureRandom().nextBytes(random);
        byte[] line = (HexFormat.of().formatHex(random) + '\n').getBytes(US_ASCII);
        boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        if (posix) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ALONE));
        } else {
            Files.createFile(file);
        }
        Files.write(file, line, StandardOpenOption.WRITE);
        Arrays.fill(random, (byte) 0);
        Arrays.fill(line, (byte) 0);
    }

    /** The key from which other keys are derived. */
    public SecretKey material() {
        return new SecretKeySpec(bytes, "HKDF");
    }

    /** A constant text, without the secret. */
    @Override
    public String toString() {
        return "ClusterSecret";
    }
}
