package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The policies in docs/policies.md, compiled against what the modules export, work by name in all processes of a job.
 */
@Timeout(400)
class OwnPoliciesTest {
    private static final Path PAGE = Cli.home().resolve("docs/policies.md");
    private static final Pattern SERVICE = Pattern.compile("echo '(\\S+)' > (\\S+)");

    @TempDir
    private Path folder;

    private Path classes;

    @BeforeEach
    void compile() throws IOException {
        classes = Files.createDirectories(folder.resolve("own"));
        String page = Files.readString(PAGE);
        Matcher program = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertTrue(program.find());
        Path source = Files.writeString(folder.resolve("OwnPolicies.java"), program.group(1));
        String path = System.getProperty("java.class.path");
        String modules = Arrays.stream(path.split(File.pathSeparator))
                .filter(entry -> entry.matches(".*/(codecs|filter|messaging|tree|consistency)/target/.*")
                        || entry.matches(
                                ".*/(sluice-|agrona|aeron-(client|driver|cluster|archive)|lz4|snappy).*[.]jar"))
                .collect(Collectors.joining(File.pathSeparator));
        StringWriter said = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "--module-path", modules, "--add-modules", "io.sluice.consistency", "-d", classes.toString());
            assertTrue(
                    compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(source))
                            .call(),
                    said::toString);
        }
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        List<String> named = new ArrayList<>();
        for (Matcher service = SERVICE.matcher(page); service.find(); ) {
            Files.writeString(services.resolve(service.group(2)), service.group(1));
            named.add(service.group(1));
        }
        assertEquals(6, named.size(), named::toString);
    }

    private static Object[] command(Path json) {
        String words = "train lr --processes --workers 2 --servers 2 --clocks 30 --features 65536 --slice 4096"
                + " --placement backwards --filter reciprocal:1 --rule cooling:500 --consistency loose-start:2,20"
                + " --compress deflate --json " + json;
        return words.split(" ");
    }

    @Tag("slow")
    @Test
    void allProcessesOfAJobFindThem() throws IOException {
        Path json = folder.resolve("result.json");
        try (CliRun run = Cli.plain().withClassesFrom(classes).start(command(json))) {
            run.assertFine();
        }
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertTrue(result.findValue("replicas_identical").asBoolean(), result::toString);
        assertTrue(result.findValue("test_accuracy").asDouble() > 0.6, result::toString);
    }
}
