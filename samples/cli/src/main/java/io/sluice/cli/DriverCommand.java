package io.sluice.cli;

import io.sluice.console.ExitCode;
import io.sluice.messaging.LinkRate;
import io.sluice.messaging.driver.Driver;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a host's media driver until it is interrupted. */
@Command(
        name = "driver",
        description = "Runs this host's media driver, which servers and workers of the host share, until Ctrl-C.",
        mixinStandardHelpOptions = true)
final class DriverCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--aeron-dir",
            paramLabel = "DIR",
            description = "Its directory, in memory if possible; by default one in /dev/shm named after the user.")
    private Path directory;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            description = "Rate of this host's link to the network, such as 1gbit: the driver then sends bulk data in"
                    + " small parts at that rate, and control frames between them.")
    private String rate;

    @Option(names = "--attached", hidden = true, description = "End when standard input does.")
    private boolean attached;

    @Mixin
    private LossOption loss;

    @Mixin
    private UdpBatchOption udpBatch;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Driver.Context context = new Driver.Context()
                .expectedBytes(LocalDriver.LEAST_BYTES)
                .closeOnShutdown(true)
                .receiveLoss(loss.rate(), 1);
        if (directory != null) {
            context.directory(directory);
        }
        if (rate != null) {
            context.egressRate(LinkRate.parse("--rate", rate));
        }
        udpBatch.applyTo(context);
        try (Attachment _ = Attachment.of(attached);
                Driver driver = Driver.launch(context)) {
            driver.warnings().forEach(warning -> spec.commandLine().getErr().println("sluice: " + warning));
            out.println("media driver in " + driver.directory() + ", threads " + driver.threading() + ", UDP batches "
                    + driver.udpBatch().text());
            out.flush();
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.OK;
    }
}
