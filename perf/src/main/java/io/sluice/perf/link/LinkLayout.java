package io.sluice.perf.link;

import io.sluice.messaging.Channels;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.perf.benchmark.Turn;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Columns;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rows of links. A row has all stacks with frames of one length at one rate; a table has a line for each of them.
 *
 * <p>For throughput, {@code ours}, {@code raw} and similar figures are MB/s (10^6 bytes of frames received), where more
 * is better. For round trips and open loops they are the median latency in microseconds, where less is better. {@code
 * ratio} is always {@code ours / raw}. These are medians over the rounds; {@code p50_us} and similar figures are
 * percentiles of the latencies of all rounds together, which the {@code .hlog} file has.
 */
final class LinkLayout {
    private static final double MEGA = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SECOND = 1e9;

    /** Share of its rate below which an open loop has not reached the rate. */
    private static final double RATE_SLACK = 0.99;

    private static final double SATURATED = 0.8;

    private LinkLayout() {}

    static Layout of() {
        return new Layout(row -> row.text("mode") + " over " + row.text("channel"), columns(), curves())
                .showing(LinkLayout::lines, (one, other) -> 0)
                .legend(
                        "raw        ExclusivePublication.offer and Subscription.controlledPoll",
                        "raw+crc    and the receiver verifies a CRC-32C over each frame",
                        "ours       Link and Inbox: each frame validated, over udp with its checksum, computed"
                                + " beforehand",
                        "           (with it over ipc, too: SLUICE_JVM_OPTS=-Dsluice.ipc.verify=true)",
                        "ours+crc   and the sender computes the checksum of each frame before it offers it",
                        "latency    of rtt: from before the offer until the frame returns",
                        "           of open-loop: from when the frame was due to be sent, whenever it was, to its"
                                + " arrival",
                        "p50 / raw, p99 / raw: medians over the rounds; percentiles are of all rounds together",
                        "more than " + Channels.maxUnfragmentedLength(ChannelSettings.MAX_MTU)
                                + " bytes are sent in two pieces, which both sides join with a copy");
    }

    private static List<Column> columns() {
        return Column.list(
                Column.shownOnly("stack", row -> row.text("stack")).left(),
                Column.facts("mode", "channel"),
                Column.fact("size").shown("bytes", "%,.0f"),
                Column.fact("unit"),
                Column.fact("wanted_rate").shown("wanted k/s", "%,.1f", 1 / NS_PER_US),
                Column.derived(
                        "rates",
                        (row, rows) -> rows.stream()
                                .filter(each -> each.agrees(row, "channel", "size"))
                                .count()),
                () -> Arrays.stream(LinkStack.values()).flatMap(stack -> columns(stack.key(), stack.prefix()).stream()),
                Column.quotient("ratio", "ours", "raw"),
                Column.quotient("p99_ratio", "p99_by_round", "raw_p99_by_round"),
                Column.quotient("ratio_to_raw_checked", "ours", "raw_checked"),
                Column.shownOnly("mb", "MB/s", "%,.0f", 1),
                Column.shownOnly("p50_us", "p50 us", "%,.2f", 1),
                Column.shownOnly("p99_us", "p99 us", "%,.2f", 1),
                Column.shownOnly("p999_us", "p99.9 us", "%,.1f", 1),
                Column.shownOnly("max_us", "max us", "%,.0f", 1),
                shown("quartiles", "quartiles"),
                shown("p50_by_round", "p50 by round"),
                Column.shownOnly("ratio_to_raw", "/ raw", "%.2f", 1),
                Column.shownOnly("ratio_to_crc", "/ raw+crc", "%.2f", 1),
                Column.shownOnly("p99_to_raw", "p99 / raw", "%.2f", 1),
                Column.shownOnly("frames_per_second", "k frames/s", "%,.1f", 1 / NS_PER_US),
                Column.shownOnly("allocated_per_frame", "heap B/frame", "%.3f", 1));
    }

    /** The columns of one stack; the columns of Sluice have the plain names. */
    private static Columns columns(String key, String prefix) {
        return Columns.of(
                Column.median(key),
                Column.low(key + "_low", key),
                Column.high(key + "_high", key),
                Column.latency(prefix + "p50_us", key, 50),
                Column.latency(prefix + "p99_us", key, 99),
                Column.latency(prefix + "p999_us", key, 99.9),
                Column.latency(prefix + "max_us", key, 100),
                Column.median(prefix + "p99_by_round", key + "_p99"),
                Column.figure(
                        prefix + "frames_per_second",
                        key + "_ns",
                        ns -> NS_PER_SECOND / Arrays.stream(ns).average().orElseThrow()),
                Column.derived(
                        prefix + "rate_met",
                        (row, _) -> row.has("wanted_rate") && row.has(prefix + "frames_per_second")
                                ? row.number(prefix + "frames_per_second") >= RATE_SLACK * row.number("wanted_rate")
                                : null),
                Column.mean(prefix + "allocated_per_frame", key + "_allocated"),
                Column.inverseTail(prefix + "beyond", key),
                Column.percentiles(prefix + "percentiles_us", key));
    }

    private static Column shown(String name, String heading) {
        return Column.shownOnly(heading, row -> row.has(name) ? row.text(name) : "-");
    }

    /** A line for each stack. */
    private static List<Row> lines(Row row) {
        boolean latencies = row.text("unit").equals("us");
        List<Row> lines = new ArrayList<>();
        for (LinkStack stack : LinkStack.values()) {
            String key = stack.key();
            Map<String, Object> line = new LinkedHashMap<>();
            for (String name : List.of("mode", "channel", "size", "wanted_rate")) {
                line.put(name, row.get(name));
            }
            for (String name :
                    List.of("p50_us", "p99_us", "p999_us", "max_us", "frames_per_second", "allocated_per_frame")) {
                line.put(name, row.get(stack.prefix() + name));
            }
            line.put("stack", stack.configName());
            line.put(latencies ? "p50" : "mb", row.get(key));
            String format = latencies ? "%,.2f-%,.2f" : "%,.0f-%,.0f";
            line.put(
                    latencies ? "p50_by_round" : "quartiles",
                    String.format(format, row.number(key + "_low"), row.number(key + "_high")));
            line.put("ratio_to_raw", row.number(key) / row.number("raw"));
            line.put("ratio_to_crc", row.number(key) / row.number("raw_checked"));
            line.put(
                    "p99_to_raw",
                    latencies ? row.number(stack.prefix() + "p99_by_round") / row.number("raw_p99_by_round") : null);
            lines.add(new Row(line));
        }
        return lines;
    }

    /**
     * Creates the plots: throughput over the size, or the percentiles of each size. With several rates there is one
     * plot for each size and stack, with a curve for each rate; with one, a plot for each size, with a curve for each
     * stack.
     */
    private static List<Curves> curves() {
        List<Curves> all = new ArrayList<>();
        for (LinkStack stack : LinkStack.values()) {
            all.add(new Curves(
                            "",
                            row -> "Throughput over " + row.text("channel"),
                            new Curves.Axis("size", "bytes of a frame", 1),
                            new Curves.Axis(stack.key(), "MB a second", 1),
                            _ -> stack.configName())
                    .of(row -> !row.text("unit").equals("us"))
                    .in(row -> row.text("channel")));
            all.add(new Curves(
                            "",
                            row -> row.text("mode") + " over " + row.text("channel") + ", frames of " + row.text("size")
                                    + " bytes" + (isSwept(row) ? ", " + stack.configName() : ""),
                            new Curves.Axis(
                                    stack.prefix() + "beyond",
                                    "1 / (1 - percentile): 10 is 90 %, 100 is 99 %, 1000 is 99.9 %",
                                    1),
                            new Curves.Axis(stack.prefix() + "percentiles_us", "microseconds", 1),
                            row -> isSwept(row) ? rate(row, stack) : stack.configName())
                    .of(row -> row.text("unit").equals("us"))
                    .in(row -> row.text("channel") + "-" + row.text("size")
                            + (isSwept(row) ? "-" + stack.configName().replace('+', '-') : "")));
        }
        return all;
    }

    private static boolean isSwept(Row row) {
        return row.number("rates") > 1;
    }

    private static String rate(Row row, LinkStack stack) {
        return String.format("%,.0f frames/s", row.number("wanted_rate"))
                + (Boolean.FALSE.equals(row.get(stack.prefix() + "rate_met")) ? " (not met)" : "");
    }

    /**
     * The sample of a turn.
     *
     * @throws IllegalStateException if fewer or more bytes arrived than were sent
     */
    static Sample sample(LinkSpec spec, Turn turn) {
        requireAllArrived(spec, turn);
        boolean latencies = spec.mode().recordsLatencies();
        double nsPerFrame = turn.nanosPerPass() / spec.framesPerPass();
        String key = spec.stack().key();
        Sample sample = new Sample()
                .fact("mode", Parameter.word(spec.mode()))
                .fact("channel", Parameter.word(spec.medium()))
                .fact("size", spec.frameLength())
                .fact("unit", latencies ? "us" : "MB/s")
                .fact("wanted_rate", spec.mode() == LinkSpec.Mode.OPEN_LOOP ? spec.rate() : null)
                .figure(key + "_ns", nsPerFrame)
                .figure(key + "_allocated", (double) turn.allocatedBytes() / turn.passes() / spec.framesPerPass());
        if (!latencies) {
            return sample.figure(key, spec.frameLength() * NS_PER_SECOND / nsPerFrame / MEGA);
        }
        return sample.figure(key, turn.latencies().getValueAtPercentile(50) / NS_PER_US)
                .figure(key + "_p99", turn.latencies().getValueAtPercentile(99) / NS_PER_US)
                .latencies(key, turn.latencies());
    }

    /** Senders count frames as values, receivers count bytes. */
    private static void requireAllArrived(LinkSpec spec, Turn turn) {
        long sent = turn.values() * spec.frameLength();
        if (turn.values() != (long) turn.passes() * spec.framesPerPass() || turn.bytes() != sent) {
            throw new IllegalStateException(spec.name() + ": " + turn.bytes() + " bytes arrived of " + sent + " sent");
        }
    }

    /** Whether an open loop of Sluice was slower than stalls of the machine can explain. */
    static boolean isSaturated(Row row) {
        return row.number("frames_per_second") < SATURATED * row.number("wanted_rate");
    }

    /** Warns that an open loop did not reach its rate. */
    static Optional<String> warning(Row row, LinkStack stack) {
        return Boolean.FALSE.equals(row.get(stack.prefix() + "rate_met"))
                ? Optional.of(String.format(
                        "WARNING: %s %s %s sent %,.0f of %,.0f frames per second: the rate was not reached, so the"
                                + " latencies include queueing",
                        stack.configName(),
                        row.text("channel"),
                        row.text("size"),
                        row.number(stack.prefix() + "frames_per_second"),
                        row.number("wanted_rate")))
                : Optional.empty();
    }
}
