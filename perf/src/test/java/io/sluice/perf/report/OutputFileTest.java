package io.sluice.perf.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OutputFileTest {
    @TempDir
    private Path folder;

    @Test
    void replacesWhatWasThereAndLeavesNothingElse() throws IOException {
        Path file = Files.writeString(folder.resolve("report.json"), "old and longer");
        OutputFile.write(file, new byte[] {1, 2});
        assertArrayEquals(new byte[] {1, 2}, Files.readAllBytes(file));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void whatCannotBeReplacedStaysAndNothingHalfWrittenIsLeft() throws IOException {
        Path file = Files.createDirectory(folder.resolve("report.json"));
        Files.writeString(file.resolve("inside"), "x");
        assertThrows(IOException.class, () -> OutputFile.write(file, new byte[] {1}));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void pathsThatCannotBeWrittenAreNamedAtTheStart() {
        Path orphan = folder.resolve("missing").resolve("report.json");
        refuses(orphan, "the folder " + folder.resolve("missing") + " does not exist");
        refuses(folder, "is a folder, expected a file");
        OutputFile.check("--json", folder.resolve("new.json"));
    }

    private static void refuses(Path file, String expected) {
        String message = assertThrows(IllegalArgumentException.class, () -> OutputFile.check("--json", file))
                .getMessage();
        assertTrue(message.startsWith("--json " + file + ": "), message);
        assertTrue(message.endsWith(expected), message);
    }
}
