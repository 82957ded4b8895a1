package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(400)
class BadDataTest {
    @TempDir
    private Path folder;

    private static String refusal(Object... arguments) {
        try (CliRun run = Cli.plain().start(arguments)) {
            return run.assertRefused(ExitCode.DATA);
        }
    }

    @Test
    void aMissingFileIsNamed() {
        Path missing = folder.resolve("mails.libsvm");
        assertEquals("sluice: there is no file " + missing, refusal("train", "lr", "--data", missing));
        assertEquals("sluice: there is no file " + missing, refusal("worker", "lr", "--data", missing));
    }

    @Test
    void aCorruptFileIsNamedWithTheLineAndTheColumn() throws IOException {
        Path corrupt = Files.writeString(folder.resolve("mails.libsvm"), "1 1:0.5 2:1\n0 1:0.5 2:x\n");
        String said = refusal("train", "lr", "--data", corrupt);
        assertTrue(said.startsWith("sluice: " + corrupt + ":2:"), said);
    }

    @Test
    void aBinaryFileIsRefusedLikeAnyOther() throws IOException {
        byte[] noise = new byte[4_096];
        new Random(3).nextBytes(noise);
        Path binary = Files.write(folder.resolve("mails.libsvm"), noise);
        String said = refusal("train", "lr", "--reference", "--data", binary);
        assertTrue(said.startsWith("sluice: " + binary + ":1:1: "), said);
        assertFalse(said.chars().anyMatch(Character::isISOControl), "it cannot upset a terminal: " + said);
    }

    @Test
    void aFolderWithoutADataSetIsRefused() {
        String said = refusal("train", "lr", "--data", folder);
        assertEquals(
                "sluice: the folder " + folder
                        + " has no file spam-assassin.bin.gz, expected the data set spam-assassin"
                        + " or a file in libsvm format",
                said);
    }
}
