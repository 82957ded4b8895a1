package io.sluice.perf.repair;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.ExitCode;
import io.sluice.perf.options.JsonOption;
import io.sluice.perf.options.Repetition;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures for how long broadcasts pause when a relay dies. */
@Command(
        name = "repair",
        description = {
            "Measures how long workers go without a new version when a worker is killed (-9) that passes broadcasts"
                    + " on: those behind it, and those in other subtrees.",
            "A server and workers that compute nothing are threads of this process; the one that is killed is a"
                    + " process, with a media driver of its own. All is sent over UDP."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class RepairCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "6", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--tree",
            paramLabel = "TREE",
            defaultValue = "shared:2",
            description = "By which the server reaches them (${DEFAULT-VALUE}); the worker with most others behind it,"
                    + " but not all, is killed.")
    private String tree;

    @Option(
            names = "--consistency",
            paramLabel = "RULE",
            split = ",",
            defaultValue = "bsp,tap",
            description = "Rules to compare (${DEFAULT-VALUE}): under bsp versions wait for the dead one until it is"
                    + " excused, under tap for nobody.")
    private List<String> rules;

    @Option(
            names = "--params",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Parameters of the model, all of which each update changes (${DEFAULT-VALUE}).")
    private int params;

    @Option(
            names = "--every",
            paramLabel = "MS",
            defaultValue = "20",
            description = "Milliseconds that a worker takes for a clock, at least (${DEFAULT-VALUE}).")
    private int everyMs;

    @Option(
            names = "--liveness-ms",
            paramLabel = "MS",
            defaultValue = "2500",
            description = "Silence that makes a worker dead (${DEFAULT-VALUE}).")
    private int livenessMs;

    @Mixin
    private Repetition repetition;

    @Mixin
    private JsonOption json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        repetition.check();
        RepairPlan plan = new RepairPlan(workers, tree, params, everyMs, livenessMs);
        rules.forEach(plan::terms); // refuses those that there are not
        Kin kin = Kin.of(plan);
        json.check();
        PrintWriter out = spec.commandLine().getOut();
        out.println(json.machine().sentence());
        out.flush();
        Map<String, List<Death>> seen = repetition.takeTurns(rules, rule -> List.of(DeathRun.of(plan, rule)));
        List<RepairRow> rows = new ArrayList<>();
        seen.forEach((rule, deaths) -> {
            rows.add(RepairRow.of(rule, false, deaths));
            rows.add(RepairRow.of(rule, true, deaths));
        });
        print(plan, kin, rows, out);
        json.write(spec, rows, List.of());
        return ExitCode.OK;
    }

    private static void print(RepairPlan plan, Kin kin, List<RepairRow> rows, PrintWriter out) {
        out.printf(
                "%n1 server, %d workers, %s, %,d parameters every %d ms: worker %d is killed, behind it %s%n",
                plan.workers(), plan.tree(), plan.params(), plan.everyMs(), kin.victim(), kin.orphans());
        TextTable table = new TextTable(
                2,
                "rule",
                "subtree",
                "workers",
                "deaths",
                "known s",
                "max",
                "usual s",
                "max",
                "pause s",
                "max",
                "beyond s",
                "max",
                "asked");
        for (RepairRow row : rows) {
            table.add(
                    row.consistency(),
                    row.subtree(),
                    cell("%d", row.workers()),
                    cell("%d", row.deaths()),
                    cell("%.3f", row.detection()),
                    cell("%.3f", row.detectionMax()),
                    cell("%.3f", row.usual()),
                    cell("%.3f", row.usualMax()),
                    cell("%.3f", row.pause()),
                    cell("%.3f", row.pauseMax()),
                    cell("%+.3f", row.beyond()),
                    cell("%+.3f", row.beyondMax()),
                    cell("%d", row.asked()));
        }
        table.print(out);
        out.println();
        out.println("  known s   from the kill until the first of the others knew that the cluster goes on without it");
        out.println("  usual s   the longest time between two versions in the second before the kill");
        out.println("  pause s   the longest from the kill on, of the worker that fared worst in each death");
        out.println("  beyond s  by how much that is longer than it took until the death was known");
        out.println("  asked     requests for frames that were missed, in all deaths together");
        out.flush();
    }
}
