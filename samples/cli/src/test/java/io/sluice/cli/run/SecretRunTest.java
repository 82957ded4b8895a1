package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A secret from the command that makes it to the job that is sealed with it. */
@Timeout(400)
class SecretRunTest {
    @TempDir
    private Path folder;

    private Path secret;

    @BeforeEach
    void makeSecret() {
        secret = folder.resolve("job.secret");
        try (CliRun run = Cli.plain().start("secret", secret)) {
            assertEquals(ExitCode.OK, run.exitCode(), run::toString);
        }
    }

    @Test
    @Tag("slow")
    void sealedTrainingEndsWithTheSameBits() {
        String reference = LrRun.hash(LrRun.report(HandMade.training("--workers", 2, "--reference")));
        Object[] sealed = HandMade.training(
                "--workers", 2, "--filter", "none", "--transport", "udp", "--secret-file", secret, "--seal");
        assertEquals(reference, LrRun.hash(LrRun.report(sealed)));
    }

    @Test
    void isNotMadeTwiceAndNeverShown() throws IOException {
        String content = Files.readString(secret).strip();
        try (CliRun again = Cli.plain().start("secret", secret)) {
            String said = again.assertRefused(ExitCode.USAGE);
            assertTrue(said.contains("exists already"), said);
            assertFalse(said.contains(content), said);
        }
        assertEquals(content, Files.readString(secret).strip());
    }
}
