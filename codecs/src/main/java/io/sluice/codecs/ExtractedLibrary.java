package io.sluice.codecs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A native library that its Java library extracts into a temporary directory before it loads it. The JVM deletes that
 * file when it exits; a JVM that is killed leaves it on disk. On Linux a loaded library does not need its file, so
 * {@link #delete} deletes it right after loading, as the zstd library does itself.
 */
enum ExtractedLibrary {
    LZ4("liblz4-java-\\d+\\.so", "java.io.tmpdir"),
    SNAPPY("snappy-.+-libsnappyjava\\.so", "org.xerial.snappy.tempdir");

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final int PATH_COLUMN = 6;
    private static final Set<ExtractedLibrary> DELETED = EnumSet.noneOf(ExtractedLibrary.class);

    private final Pattern name;
    private final String folderProperty;

    ExtractedLibrary(String name, String folderProperty) {
        this.name = Pattern.compile(name);
        this.folderProperty = folderProperty;
    }

    /** Deletes the file from which this process has loaded the library. Later calls do nothing. */
    void delete() {
        synchronized (DELETED) {
            if (!DELETED.add(this) || !Files.isReadable(MAPS)) {
                return;
            }
        }
        Path folder = Path.of(System.getProperty(folderProperty, System.getProperty("java.io.tmpdir")));
        try {
            for (Path file : mapped()) {
                // a library that was not extracted, such as one installed with the system, is kept
                if (isIn(folder, file)
                        && name.matcher(file.getFileName().toString()).matches()) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException _) {
            return; // the JVM deletes the file when it exits
        }
    }

    private static boolean isIn(Path folder, Path file) throws IOException {
        return Files.exists(folder) && folder.toRealPath().equals(file.getParent());
    }

    /** Files that this process maps, from the last of the six columns. */
    private static List<Path> mapped() throws IOException {
        return Files.readAllLines(MAPS).stream()
                .map(line -> line.split(" +", PATH_COLUMN))
                .filter(columns -> columns.length == PATH_COLUMN && columns[PATH_COLUMN - 1].startsWith("/"))
                .map(columns -> Path.of(columns[PATH_COLUMN - 1]))
                .distinct()
                .toList();
    }
}
