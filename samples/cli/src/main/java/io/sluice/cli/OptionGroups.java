package io.sluice.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The order in which the help of a command lists its options: the most needed options first. */
final class OptionGroups {
    private static final String OTHERS = "Other options";

    /** Options by heading. */
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    static {
        group(
                "Data and training",
                "--data --dataset --features --clocks --batches --batch --learning-rate --seed --json");
        group(
                "Data and training",
                "--stop-words --classes --examples --factors --multicast --network --backward --topics --alpha --beta"
                        + " --rank --lambda");
        group("Data and training", "--passes --clocks-per-pass");
        group("The job", "--workers --servers --consistency --protocol --processes --reference --history");
        group("What is sent", "--filter --broadcast-filter --rule --delta --min-rate --values --compress");
        group("Network", "--transport --tree --topology --order --budget-rate --node-budget-rate --budget-burst");
        group("Network", "--link-rate --placement --slice --loss --udp-batch");
        group("Recovery", "--on-death --wait-limit --snapshots --snapshot-every --snapshot-keep --restore");
        group("Recovery", "--coordinators --coordinator-wait --heartbeat-ms --liveness-ms");
        group("Workers and servers that join and leave", "--max-workers --max-servers --leave-after");
        group("This process", "--coordinate --cluster --index --bind --wait-s --threading --member --members");
        group("This process", "--dir --aeron-dir --rate");
        group("Security", "--secret-file --without-secret --seal");
    }

    private OptionGroups() {}

    private static void group(String heading, String names) {
        GROUPS.computeIfAbsent(heading, _ -> new ArrayList<>()).addAll(List.of(names.split(" ")));
    }

    /** Makes the help of all commands list options by group, in the order of the groups. */
    static void applyTo(CommandLine line) {
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, OptionGroups::list);
        line.getSubcommands().values().forEach(OptionGroups::applyTo);
    }

    private static String list(Help help) {
        Map<String, List<OptionSpec>> byHeading = new LinkedHashMap<>();
        GROUPS.keySet().forEach(heading -> byHeading.put(heading, new ArrayList<>()));
        byHeading.put(OTHERS, new ArrayList<>());
        help.commandSpec().options().stream()
                .filter(option -> !option.hidden())
                .forEach(option -> byHeading.get(headingOf(option)).add(option));
        if (byHeading.get(OTHERS).stream().anyMatch(option -> !option.usageHelp() && !option.versionHelp())) {
            return help.optionList(); // not a command of a node or a job
        }
        return byHeading.keySet().stream()
                .filter(heading -> !byHeading.get(heading).isEmpty())
                .map(heading -> "%n%s:%n".formatted(heading) + list(help, heading, byHeading.get(heading)))
                .collect(Collectors.joining());
    }

    private static String list(Help help, String heading, List<OptionSpec> options) {
        List<String> order = GROUPS.getOrDefault(heading, List.of());
        options.sort((a, b) -> Integer.compare(order.indexOf(a.longestName()), order.indexOf(b.longestName())));
        Help.Layout layout = help.createDefaultLayout();
        layout.addOptions(options, help.parameterLabelRenderer());
        return layout.toString();
    }

    /** The heading of an option's group. */
    static String headingOf(OptionSpec option) {
        return GROUPS.entrySet().stream()
                .filter(group -> group.getValue().contains(option.longestName()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(OTHERS);
    }
}
