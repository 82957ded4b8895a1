package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrepareSpamAssassinTest {

    @TempDir
    Path directory;

    @Test
    void preparesAPackage() throws IOException {
        for (String group : List.of("easy-ham-1", "easy-ham-2", "hard-ham-1", "spam-1", "spam-2")) {
            Path mails =
                    Files.createDirectories(directory.resolve("package/data").resolve(group));
            for (int i = 1; i <= 3; i++) {
                Files.writeString(mails.resolve("0000" + i + ".txt"), "Subject: mail\n\n" + group + "\n");
                Files.writeString(mails.resolve("0000" + i + ".json"), "{}");
            }
        }
        Path first = prepare("first");
        List<HashedMail> read = HashedMailReader.read("first", Files.readAllBytes(first));
        assertEquals(15, read.size());
        for (int i = 0; i < 15; i++) {
            assertEquals(i >= 9, read.get(i).spam());
            assertEquals(i == 4 || i == 13, read.get(i).test());
        }
        assertArrayEquals(Files.readAllBytes(first), Files.readAllBytes(prepare("second")));
    }

    private Path prepare(String name) throws IOException {
        Path folder = Files.createDirectory(directory.resolve(name));
        PrepareSpamAssassin.prepare(directory.resolve("package"), folder);
        return folder.resolve(SpamAssassin.FILE);
    }
}
