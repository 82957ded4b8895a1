package io.sluice.trials;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The BOM has no parent, so nothing but this test keeps its versions equal to those of the build. */
final class BomTest {
    private static final Path ROOT = Path.of("../..");
    private static final Path PARENT = ROOT.resolve("pom.xml");
    private static final Path BOM = ROOT.resolve("consistency/bom/pom.xml");

    private static final Pattern COORDINATES = Pattern.compile("<groupId>([^<]+)</groupId>\\s*"
            + "<artifactId>([^<]+)</artifactId>\\s*"
            + "<version>(?:\\$\\{([^<]+)}|([^<]+))</version>");

    @Test
    void itsVersionsAreThoseThatTheBuildTests() throws IOException {
        Map<String, String> tested = versions(PARENT);
        Map<String, String> offered = versions(BOM);
        assertEquals(tested.get("io.sluice:sluice-parent"), offered.remove("io.sluice:sluice-bom"));
        offered.forEach((artifact, version) -> assertEquals(tested.get(artifact), version, artifact));
    }

    /** A release checks both, and sets them by hand. */
    @Test
    void itHasTheAddressesOfTheParent() throws IOException {
        String parent = Files.readString(PARENT);
        String bom = Files.readString(BOM);
        for (String element : List.of("url", "connection", "developerConnection")) {
            assertEquals(value(parent, element), value(bom, element), element);
        }
    }

    @Test
    void itHasEveryModuleThatExportsPackages() throws IOException {
        try (Stream<Path> folders = Files.list(ROOT)) {
            Set<String> exporting = folders.filter(
                            folder -> Files.exists(folder.resolve("src/main/java/module-info.java")))
                    .map(folder -> "io.sluice:sluice-" + folder.getFileName())
                    .collect(Collectors.toSet());
            Set<String> offered = versions(BOM).keySet().stream()
                    .filter(artifact -> artifact.startsWith("io.sluice:") && !artifact.endsWith("-bom"))
                    .collect(Collectors.toSet());
            assertEquals(exporting, offered);
        }
    }

    /** The pom's own version and those of the dependencies in it, by {@code group:artifact}. */
    private static Map<String, String> versions(Path pom) throws IOException {
        String text = Files.readString(pom);
        Map<String, String> versions = new TreeMap<>();
        String own = null;
        for (MatchResult each : COORDINATES.matcher(text).results().toList()) {
            String property = each.group(3);
            String version =
                    property == null ? each.group(4) : "project.version".equals(property) ? own : value(text, property);
            own = own == null ? version : own;
            versions.put(each.group(1) + ':' + each.group(2), version);
        }
        return versions;
    }

    private static String value(String pom, String property) {
        return Pattern.compile("<" + property + ">([^<]+)<")
                .matcher(pom)
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
    }
}
