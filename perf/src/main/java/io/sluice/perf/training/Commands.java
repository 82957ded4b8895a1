package io.sluice.perf.training;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.UnavailableException;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.nodes.ChildProcess;
import io.sluice.perf.nodes.SluiceProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Runs a {@code sluice} command with one set of options after another, and reads numbers of its JSON. */
public final class Commands extends Experiment<String> {
    private static final int MOST_MINUTES = 24 * 60;
    private static final int LAST_LINES = 3;
    private static final Duration END = Duration.ofSeconds(10);

    private static final Pattern REACHED = Pattern.compile("(\\w+)(>=|<=)(-?\\d+(?:\\.\\d+)?)");

    /** The way that adds no options. */
    private static final String DEFAULTS = "defaults";

    private static final Parameter<String> COMMAND = Parameter.text("command", "WORDS", "train lr")
            .help("Sluice command to run, with the options that all ways share");
    private static final Parameter<List<String>> WAYS = Parameter.text("ways", "OPTIONS", null)
            .several(",(?=--|" + DEFAULTS + ")", DEFAULTS)
            .help("Options of each way; " + DEFAULTS + " for none");
    private static final Parameter<List<String>> FIELDS = Parameter.text("fields", "FIELD", null)
            .several("bytes_pushed+bytes_broadcast,seconds")
            .help("Fields of the JSON, sums of fields (a+b), or the place of the first number of a list that reaches"
                    + " a limit (list>=1.5, list<=1.5)");
    private static final Parameter<Integer> SEED = Parameter.whole("seed", 0, 0, Integer.MAX_VALUE)
            .help("Seed of the first round; each later round adds 1. With 0, the command gets no --seed");
    private static final Parameter<Integer> MINUTES =
            Parameter.whole("minutes", 30, 1, MOST_MINUTES).help("Longest time of a command");

    public static final Scenario SCENARIO = new Scenario(
            "commands",
            List.of(
                    "Compares numbers that a sluice command states in its JSON, with one set of options after another.",
                    "Each command runs in processes of its own, as a user starts it. A command that fails, or whose"
                            + " replicas differ, ends the measurement."),
            3,
            Parameter.declaredBy(Commands.class),
            new Layout(row -> "sluice " + row.text("command") + ": " + row.text("field"), columns(), List.of()),
            Commands::new);

    private final Map<String, Integer> turns = new HashMap<>();
    private SluiceProgram program;
    private Path json;

    private Commands(Settings settings) {
        super(settings);
    }

    private static List<Column> columns() {
        return Column.list(
                Column.facts("command", "seed", "minutes", "field"),
                Column.fact("way").shown("options"),
                Column.median("value").shown("median", "%,.4f"),
                Column.min("value_least", "value").shown("least", "%,.4f"),
                Column.max("value_most", "value").shown("most", "%,.4f"),
                Column.relative("ratio", "value", _ -> true, "field").shown("/ first", "%.4f"),
                Column.count("turns", "value").shown("turns"));
    }

    @Override
    public List<String> variants() {
        return get(WAYS);
    }

    @Override
    public void open() throws IOException, InterruptedException {
        program = SluiceProgram.find(Runtime.getRuntime().maxMemory() >> 20);
        json = Files.createTempFile("sluice-command", ".json");
        closing(() -> Files.deleteIfExists(json));
    }

    @Override
    public List<Sample> measure(String way) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(get(COMMAND).split(" +")));
        if (!way.equals(DEFAULTS)) {
            words.addAll(List.of(way.split(" +")));
        }
        if (get(SEED) > 0) {
            words.addAll(List.of("--seed", Integer.toString(get(SEED) + turns.merge(way, 1, Integer::sum) - 1)));
        }
        String said = String.join(" ", words);
        words.addAll(List.of("--json", json.toString()));
        run(said, words);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        if (!report.path("replicas_identical").asBoolean(true)) {
            throw new IllegalStateException("'sluice " + said + "' ended with replicas that differ");
        }
        return get(FIELDS).stream()
                .map(field ->
                        new Sample().fact("field", field).fact("way", way).figure("value", value(report, said, field)))
                .toList();
    }

    private void run(String said, List<String> words) throws IOException, InterruptedException {
        Deque<String> last = new ArrayDeque<>();
        ChildProcess process = new ChildProcess(
                "sluice",
                new ProcessBuilder(program.command(words)),
                _ -> {},
                line -> {
                    last.add(line);
                    if (last.size() > LAST_LINES) {
                        last.remove();
                    }
                },
                () -> {});
        try {
            process.closeInput();
            if (!process.await(Duration.ofMinutes(get(MINUTES)))) {
                throw new UnavailableException(
                        "'sluice " + said + "' has not ended after " + get(MINUTES) + " minutes");
            }
            process.awaitLines(END);
            if (process.exitValue() != 0) {
                throw new UnavailableException("'sluice " + said + "' ended with exit code " + process.exitValue()
                        + ": " + String.join(" ", last));
            }
        } finally {
            process.end(true, END);
        }
    }

    /** The value of a field; NaN if no number of the list reaches the limit. */
    private static double value(JsonNode report, String said, String field) {
        Matcher reached = REACHED.matcher(field);
        if (reached.matches()) {
            JsonNode list = present(report, said, reached.group(1), JsonNode::isArray, "a list");
            double sign = reached.group(2).equals(">=") ? 1 : -1;
            double limit = sign * Double.parseDouble(reached.group(3));
            return IntStream.range(0, list.size())
                    .filter(i -> sign * list.get(i).asDouble() >= limit)
                    .mapToDouble(i -> i + 1)
                    .findFirst()
                    .orElse(Double.NaN);
        }
        return Arrays.stream(field.split("\\+"))
                .mapToDouble(name -> present(report, said, name, JsonNode::isNumber, "a number")
                        .asDouble())
                .sum();
    }

    private static JsonNode present(
            JsonNode report, String said, String name, Predicate<JsonNode> kind, String expected) {
        if (!kind.test(report.path(name))) {
            String names = report.propertyStream()
                    .filter(each -> kind.test(each.getValue()))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.joining(", "));
            throw Parameter.refusal(
                    FIELDS.option(), name, expected + " in the JSON of 'sluice " + said + "': " + names);
        }
        return report.path(name);
    }
}
