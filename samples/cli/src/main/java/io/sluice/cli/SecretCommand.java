package io.sluice.cli;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Creates the secret of a cluster. */
@Command(
        name = "secret",
        description = {
            "Creates a fresh cluster secret, in a file that only you can read.",
            "Copy it to every host, and give it to every node with --secret-file: only nodes with the secret can join."
        },
        mixinStandardHelpOptions = true)
final class SecretCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "File to create; it must not exist.")
    private Path file;

    @Override
    public Integer call() throws IOException {
        try {
            ClusterSecret.create(file);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    "the folder of " + file + " does not exist, expected one in which the secret can be created", e);
        } catch (FileAlreadyExistsException e) {
            throw new IllegalArgumentException(
                    file + " exists already, and may be the secret of a running cluster: expected a new name", e);
        }
        spec.commandLine().getOut().println("a fresh secret is in " + file + "; keep it from others");
        spec.commandLine().getOut().flush();
        return ExitCode.OK;
    }
}
