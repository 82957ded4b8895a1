package io.sluice.perf.urgency;

import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.experiment.TableSize;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.util.List;
import org.agrona.CloseHelper;

/** Measures how fast an urgent slice overtakes others on a link of the network lab. */
public final class Urgency implements Experiment<String> {
    private static final double MBIT = 1e6;
    private static final Parameter<TableSize> QUEUED =
            Parameter.size("queued", "64mib", "Size of the slices that wait when the urgent one is handed over");
    private static final Parameter<Long> RATE = Parameter.rate("rate", "1gbit", "Rate of the link");

    /** The scenario. */
    public static final Scenario SCENARIO = new Scenario(
            "urgency",
            List.of(
                    "Measures how long an urgent slice takes to overtake others that wait for the same link.",
                    "Slices of 16,320 f32 of a later layer are queued, then one of the first layer; by order of layers"
                            + " and first come, first served.",
                    "Needs Linux and root: the link is in a network lab."),
            9,
            List.of(QUEUED, RATE),
            new Layout(
                    row -> "urgent slice over a link of " + TextTable.share(row.number("link_rate") / MBIT) + " Mbit/s",
                    List.of(
                            Column.fact("order").shown("order"),
                            Column.min("queued_bytes", "queued_bytes").whole().shown("queued MB", "%.1f", 1e-6),
                            Column.fact("link_rate"),
                            Column.fact("budget_rate"),
                            Column.fact("slice_ms").shown("slice ms", "%.2f").note("transfer time of a slice"),
                            Column.count("runs", "ms"),
                            Column.median("median_ms", "ms")
                                    .shown("median ms", "%.2f")
                                    .note("from the hand-over of the urgent slice until the receiver has it"),
                            Column.max("worst_ms", "ms").shown("worst ms", "%.2f"),
                            Column.derived("slice_times", row -> row.number("median_ms") / row.number("slice_ms"))
                                    .shown("slice times", "%.1f"))),
            Urgency::new);

    private final long rate;
    private final int slices;
    private Lab lab;
    private UrgencyPath path;
    private int run;

    private Urgency(Settings settings) {
        rate = settings.get(RATE);
        slices = (int) Math.ceilDiv(settings.get(QUEUED).elements(), UrgentSlices.ELEMENTS);
    }

    @Override
    public List<String> variants() {
        return List.of("layer", "fifo");
    }

    @Override
    public String introduction() {
        return "packets of 1,500 bytes; the sender knows the rate of the link and leaves 2 % of it free";
    }

    @Override
    public void open() throws IOException, InterruptedException {
        lab = Lab.build(new LabPlan().hosts(2).rate(rate));
        path = UrgencyPath.open(lab, rate);
    }

    @Override
    public List<Sample> measure(String order) {
        Sample sample = new Sample()
                .fact("order", order)
                .fact("link_rate", rate)
                .fact("budget_rate", path.budgetRate())
                .fact("slice_ms", path.sliceMs(rate));
        return List.of(new UrgencyTrial(path, slices).run(order, run++, sample));
    }

    @Override
    public void close() {
        CloseHelper.closeAll(path, lab);
    }
}
