package io.sluice.cli.tree;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.console.ExitCode;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.TreePlanner;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Plans a broadcast and prints its cost. */
@Command(
        name = "plan",
        description = "Plans the trees of a broadcast; prints the plan, its cost and its predicted time.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class TreePlanCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private JobOptions options;

    @Option(
            names = "--strategy",
            paramLabel = "NAME",
            defaultValue = "auto",
            description = {
                "auto, rotated[:T[,H]], chain, stripes, flat, shared[:T[,H]] or p3[:T[,H]] (${DEFAULT-VALUE});",
                "T is the maximum number of children of a host, H the maximum number of hops."
            })
    private String strategy;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the plan as one JSON object.")
    private Path json;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw the trees.")
    private Path svg;

    @Override
    public Integer call() throws IOException {
        Picture.check("--svg", svg);
        Picture.checkFolder("--json", json);
        TreePlanner planner = TreePlanners.named(strategy);
        BroadcastJob job = options.job();
        long start = System.nanoTime();
        Forest plan = planner.plan(job);
        double seconds = (System.nanoTime() - start) / 1e9;
        PlanReport report = PlanReport.of(job, plan, planner, seconds);
        PrintWriter out = spec.commandLine().getOut();
        new PlanText(job, plan, report).print(out);
        if (svg != null) {
            Picture.write(svg, new PlanPicture(job, plan).draw());
            out.println("drawn: " + svg);
        }
        if (json != null) {
            Files.write(
                    json,
                    new ObjectMapper()
                            .enable(SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsBytes(report));
        }
        out.flush();
        return ExitCode.OK;
    }
}
