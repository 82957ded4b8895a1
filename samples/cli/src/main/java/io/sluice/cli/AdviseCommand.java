package io.sluice.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.advise.Advice;
import io.sluice.cli.advise.FigureOptions;
import io.sluice.cli.advise.FinishedJob;
import io.sluice.cli.stat.RunningJob;
import io.sluice.console.ExitCode;
import io.sluice.messaging.DriverView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Advises what to change about a job. */
@Command(
        name = "advise",
        description = {
            "Reports where a job spends its time, and what each change would save.",
            "Of a finished job (FILE), a running one (--running), or one of which you state the figures."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class AdviseCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "Report of a job, as train --json writes it.")
    private Path report;

    @Option(names = "--running", description = "Watch the job at this host's media driver.")
    private boolean running;

    @Option(
            names = "--aeron-dir",
            paramLabel = "DIR",
            description = "With --running: directory of the media driver; by default as with stat.")
    private Path directory;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description =
                    "With --running: seconds to watch, 0.1 to 3600 (5); longer, up to tenfold, until a clock ends.")
    private Double seconds;

    @Mixin
    private FigureOptions figures = new FigureOptions();

    @Mixin
    private ReportFile json = new ReportFile();

    @Override
    public Integer call() throws IOException, InterruptedException {
        json.check();
        checkSources();
        figures.check();
        Advice advice = advice();
        advice.print(spec.commandLine().getOut());
        json.write(new ObjectMapper().valueToTree(advice));
        return ExitCode.OK;
    }

    private Advice advice() throws IOException, InterruptedException {
        if (running) {
            return figures.advise("the running job", watched(), Set.of("workers", "servers"));
        }
        return report == null
                ? figures.advise("the stated job", new ObjectMapper().createObjectNode(), Set.of())
                : figures.advise(report.toString(), FinishedJob.read(report), Set.of());
    }

    private void checkSources() {
        if (report != null && running) {
            throw new IllegalArgumentException("--running and " + report + " exclude each other: name one job");
        }
        if (!running && (directory != null || seconds != null)) {
            throw new IllegalArgumentException(
                    (directory != null ? "--aeron-dir" : "--seconds") + " needs --running: nothing else is watched");
        }
        if (seconds != null && !(seconds >= 0.1 && seconds <= 3_600)) {
            throw new IllegalArgumentException("--seconds is " + seconds + ", expected 0.1 to 3600");
        }
    }

    private ObjectNode watched() throws InterruptedException {
        try (DriverView driver = DriverView.open(directory == null ? StatCommand.onlyDirectory() : directory)) {
            return RunningJob.watch(driver, seconds == null ? 5 : seconds);
        }
    }
}
