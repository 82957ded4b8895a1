package io.sluice.consistency.snapshot;

import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Permissions of new files and folders that only their owner may use; none on file systems without permissions. */
final class OwnerOnly {
    private OwnerOnly() {}

    static FileAttribute<?>[] folder(Path path) {
        return permissions(path, "rwx------");
    }

    static FileAttribute<?>[] file(Path path) {
        return permissions(path, "rw-------");
    }

    private static FileAttribute<?>[] permissions(Path path, String text) {
        boolean known = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        return known
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))}
                : new FileAttribute<?>[0];
    }
}
