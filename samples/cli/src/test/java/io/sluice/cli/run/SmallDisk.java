package io.sluice.cli.run;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file system in memory of a few mebibytes, mounted in a folder; skips the test where that is not possible. */
final class SmallDisk implements AutoCloseable {
    private static final int CHUNK = 1 << 12;
    private static final int TRIES = 10;

    private final Path folder;

    /** Mounts a file system of the given size at the folder. */
    SmallDisk(Path folder, int mebibytes) throws IOException {
        Root.assume("a small file system", "mount", "umount");
        this.folder = Files.createDirectories(folder);
        Root.Result mounted =
                Root.attempt("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "sluice-test", folder.toString());
        assumeTrue(mounted.code() == 0, "no file system can be mounted here: " + mounted.said());
    }

    Path folder() {
        return folder;
    }

    /** Makes the file system read-only. */
    void forbidWriting() {
        Root.run("mount", "-o", "remount,ro", folder.toString());
    }

    /** Fills the file system, including space that is freed in the meantime. */
    void fill() throws IOException {
        boolean full = false;
        for (int left = TRIES; !full; left--) {
            full = isFilled(left == 0);
        }
    }

    private boolean isFilled(boolean last) throws IOException {
        byte[] chunk = new byte[CHUNK];
        try (OutputStream out = Files.newOutputStream(
                folder.resolve("filling"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (true) {
                out.write(chunk);
            }
        } catch (IOException e) {
            boolean full = folder.toFile().getUsableSpace() < CHUNK;
            if (last && !full) {
                throw e;
            }
            return full;
        }
    }

    @Override
    public void close() {
        Root.attempt("umount", "--lazy", folder.toString());
    }
}
