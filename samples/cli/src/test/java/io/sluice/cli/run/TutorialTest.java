package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program in docs/tutorial.md compiles, and does what the page states. */
@Timeout(400)
class TutorialTest {
    private static final Path ROOT = Cli.home();

    @TempDir
    private Path folder;

    private static String block(String language) throws IOException {
        Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve("docs/tutorial.md")));
        assertTrue(block.find(), language);
        return block.group(1);
    }

    @Tag("slow")
    @Test
    void theProgramTrains() throws IOException, InterruptedException {
        Path program = Files.writeString(folder.resolve("Softmax.java"), block("java"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + ROOT.resolve("jvm.args"));
        command.add("-Duser.language=en");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.toString()));
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertEquals(0, process.waitFor(), () -> "the program's exit code");
        String said = Files.readString(out);
        Matcher accuracy =
                Pattern.compile("accuracy ([0-9.]+) %, [0-9,]+ bytes pushed\n").matcher(said);
        assertTrue(accuracy.matches(), said);
        assertTrue(Double.parseDouble(accuracy.group(1)) > 95, said);
    }

    @Test
    void theProjectNamesThisVersion() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        Matcher version = Pattern.compile("<version>(.*?)</version>").matcher(pom);
        assertTrue(version.find());
        String artifact = "<artifactId>sluice-consistency</artifactId>\n      ";
        assertTrue(block("xml").contains(artifact + version.group()), version::group);
    }
}
