package io.sluice.perf.filter;

import io.sluice.codecs.ValueType;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.perf.ExitCode;
import io.sluice.perf.options.OutputOptions;
import io.sluice.perf.options.RaceOptions;
import io.sluice.perf.options.TableSize;
import io.sluice.perf.options.ThreadOption;
import io.sluice.perf.options.UpdateOptions;
import io.sluice.perf.race.Pace;
import io.sluice.perf.race.Progress;
import io.sluice.perf.race.Race;
import io.sluice.perf.report.Plot;
import io.sluice.perf.report.Row;
import io.sluice.perf.report.TextTable;
import io.sluice.perf.updates.TableShape;
import io.sluice.perf.updates.UpdateSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures the filter and its way back against the plain pass, the loop with a branch and the paper's path. */
@Command(
        name = "filter",
        description = {
            "Measures how fast updates are filtered and applied, and how small they get.",
            "Beside a plain a*x+y pass, a scalar loop with a branch, and the Parameter Flow paper's path (zero-filled"
                    + " dense array, compressed). Everyone filters the same tables, adding the update to a residual and"
                    + " writing back what is not kept; turns are interleaved, each contestant in a JVM of its own. The"
                    + " defaults take about five minutes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class FilterCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            split = ",",
            converter = TableSize.Converter.class,
            description = "Tables: 64mib of f32, 2^24 elements (default 64mib, or the length of the recorded updates).")
    private List<TableSize> sizes = List.of();

    @Mixin
    private UpdateOptions updates;

    @Option(
            names = "--values",
            paramLabel = "TYPE",
            split = ",",
            defaultValue = "f32,bf16",
            description = "Types of values to filter to, or all (${DEFAULT-VALUE}).")
    private List<String> values;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            split = ",",
            description = "Also filter with the threshold that this policy chooses, such as density:0.01,topk:0.01.")
    private List<String> policies = List.of();

    @Option(
            names = "--width",
            paramLabel = "BITS",
            description = "Vector registers of 128, 256 or 512 bits (default: what the processor prefers).")
    private Integer width;

    @Mixin
    private ThreadOption threading;

    @Mixin
    private RaceOptions options;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        List<Double> kept = updates.kept();
        List<ValueType> types = UpdateOptions.valueTypes("--values", values);
        Race race = options.race(Pace.TABLES);
        int threads = threading.threads();
        int widthBits = widthBits();
        policies.forEach(FilterCommand::checkPolicy);
        output.check();
        UpdateSource source = updates.source();
        List<TableSize> tables = tables(source);
        PrintWriter out = spec.commandLine().getOut();
        options.introduce(output.machine(), out);
        List<Row> rows = new ArrayList<>();
        for (TableSize table : tables) {
            List<List<FilterEntrant>> races = new ArrayList<>();
            for (double share : kept) {
                TableShape shape = TableShape.of(source, table.elements(), share, threads);
                races.add(FilterEntrant.all(shape, types, policies, widthBits));
            }
            List<Row> ofTable = run(race, races, table, out);
            draw(ofTable, table, tables.size() > 1, out);
            rows.addAll(ofTable);
        }
        explain(out);
        output.writeJson(spec, rows, List.of());
        return ExitCode.OK;
    }

    private List<Row> run(Race race, List<List<FilterEntrant>> races, TableSize table, PrintWriter out)
            throws IOException {
        options.checkMemory(races.getFirst());
        List<Row> rows = new ArrayList<>();
        int steps = races.size() * race.steps(races.getFirst().size());
        try (Progress progress = new Progress(out, steps)) {
            for (List<FilterEntrant> entrants : races) {
                progress.task(table.words() + ", "
                        + TextTable.share(entrants.getFirst().shape().kept()) + " kept");
                rows.addAll(FilterRows.of(race.run(entrants, progress)));
            }
        }
        for (List<FilterEntrant> entrants : races) {
            TableShape shape = entrants.getFirst().shape();
            out.printf(
                    "%n%s, %s of the elements to be kept, %s%n",
                    table.words(), TextTable.share(shape.kept()), shape.source().label());
            FilterReport.print(
                    rows.stream().filter(row -> row.kept() == shape.kept()).toList(), out);
        }
        return rows;
    }

    private static void checkPolicy(String policy) {
        try {
            FilterPolicies.named(policy);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--policy: " + e.getMessage(), e);
        }
    }

    private int widthBits() {
        int preferred = output.machine().vectorBits();
        if (width == null) {
            return preferred;
        }
        if (!List.of(128, 256, 512).contains(width) || width > preferred) {
            throw new IllegalArgumentException(
                    "--width is " + width + ", expected 128, 256 or 512, up to " + preferred + " on this machine");
        }
        return width;
    }

    private List<TableSize> tables(UpdateSource source) {
        boolean endless = source.maxElements() == Long.MAX_VALUE;
        if (sizes.isEmpty()) {
            return List.of(new TableSize(endless ? 1L << 24 : source.maxElements()));
        }
        for (TableSize size : sizes) {
            if (size.elements() > source.maxElements()) {
                throw new IllegalArgumentException("--size is " + size.elements() + " elements, and " + source.label()
                        + " has " + source.maxElements());
            }
        }
        return sizes;
    }

    private void draw(List<Row> rows, TableSize table, boolean several, PrintWriter out) throws IOException {
        Path plot = output.plot();
        if (plot != null) {
            Path file = several ? Plot.named(plot, table.words().replace(' ', '-')) : plot;
            FilterReport.plot(rows, file).forEach(path -> out.println("drawn: " + path));
        }
    }

    private static void explain(PrintWriter out) {
        out.println();
        out.println("  axpy           y += a * x over update and residual, on the Vector API: what memory allows");
        out.println("  branching-loop the filter as a scalar loop with an if, to a bitmap and values");
        out.println(
                "  filter         update and residual to the shortest block; -bitmap: and no further than a bitmap;");
        out.println("                 -scalar: the twin in plain Java");
        out.println("  add-encode     the same as a server does it: adds the update, then encodes the sum in place");
        out.println("  policy-        filter with the threshold that the policy chooses");
        out.println("  apply          frame opened, checked and added to a replica; its x paper is to paper-apply");
        out.println("  paper          zero-filled dense array and compressor (zlib: on 4 MiB of the table at most)");
        out.println("  paper-pairs    int indices and values and compressor, which the paper uses below 20 % kept");
        out.println("  threshold-     signed indices that stand for plus or minus the threshold, as Deeplearning4j");
        out.println("    encoder      sends them: a plain loop");
        out.println("  x axpy, x loop, x paper: speed over that of axpy, branching-loop, paper-snappy in the same run");
        out.println("  / dense, / paper: bytes over those of dense f32, and of paper-snappy in the same run");
        out.flush();
    }
}
