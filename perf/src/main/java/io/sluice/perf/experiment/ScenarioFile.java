package io.sluice.perf.experiment;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * A figure of the documentation: a scenario and its parameters. The file is {@code docs/scenarios/NAME.yaml}, its
 * result {@code docs/results/NAME.json}, and its drawing {@code docs/plots/NAME.svg} unless it names another plot.
 *
 * @param description a line of {@code perf list}
 */
record ScenarioFile(String name, String description, String scenario, Map<String, String> parameters, String plot) {
    private static final String ENDING = ".yaml";
    private static final Set<String> KEYS = Set.of("description", "scenario", "parameters", "plot");

    /** Folders of a checkout. */
    record Folders(Path docs) {
        Path scenario(String name) {
            return docs.resolve("scenarios").resolve(name + ENDING);
        }

        Path result(String name) {
            return docs.resolve("results").resolve(name + ".json");
        }

        Path plot(String name) {
            return docs.resolve("plots").resolve(name + ".svg");
        }

        List<ScenarioFile> all() throws IOException {
            Path folder = docs.resolve("scenarios");
            if (!Files.isDirectory(folder)) {
                throw new NoSuchFileException(folder.toString());
            }
            List<ScenarioFile> all = new ArrayList<>();
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(each -> each.toString().endsWith(ENDING))
                        .sorted()
                        .toList()) {
                    all.add(read(file));
                }
            }
            return all;
        }
    }

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    static ScenarioFile read(Path file) throws IOException {
        JsonNode root;
        try {
            root = new ObjectMapper(new YAMLFactory()).readTree(file.toFile());
        } catch (JacksonException e) {
            throw new IllegalArgumentException(file + " is no YAML: " + e.getOriginalMessage(), e);
        }
        if (!root.isObject() || !root.path("scenario").isTextual()) {
            throw new IllegalArgumentException(file + " has no 'scenario', expected the name of one");
        }
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            if (!KEYS.contains(entry.getKey())) {
                throw new IllegalArgumentException(
                        file + " has '" + entry.getKey() + "', expected description, scenario, parameters or plot");
            }
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        root.path("parameters").properties().forEach(entry -> parameters.put(entry.getKey(), text(entry.getValue())));
        String name = file.getFileName().toString().replaceFirst("\\.yaml$", "");
        return new ScenarioFile(
                name,
                root.path("description").asText(""),
                root.path("scenario").asText(),
                parameters,
                root.path("plot").asText(name));
    }

    /** Several values are a list, or a text with commas. */
    private static String text(JsonNode value) {
        if (!value.isArray()) {
            return value.asText();
        }
        StringJoiner joined = new StringJoiner(",");
        value.forEach(each -> joined.add(each.asText()));
        return joined.toString();
    }
}
