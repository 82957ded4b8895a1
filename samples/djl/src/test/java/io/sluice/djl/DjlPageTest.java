package io.sluice.djl;

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

/** The program in docs/djl.md compiles and learns. */
@Tag("slow")
@Timeout(200)
class DjlPageTest {
    /** The folder of the checkout; a build runs tests in the folder of the module. */
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

    @TempDir
    private Path folder;

    @Test
    void theProgramLearns() throws IOException, InterruptedException {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve("docs/djl.md")));
        assertTrue(block.find());
        Path program = Files.writeString(folder.resolve("Stripes.java"), block.group(1));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + ROOT.resolve("jvm.args"));
        command.addAll(List.of("-Duser.language=en", "-Dai.djl.pytorch.num_threads=1", "-Dai.djl.offline=true"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.toString()));
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertEquals(0, process.waitFor(), () -> "the program's exit code");
        String said = Files.readString(out);
        Matcher loss = Pattern.compile("worker 0: loss ([0-9.]+), parameters [0-9a-f]{8}\n")
                .matcher(said);
        assertTrue(loss.matches(), said);
        assertTrue(Double.parseDouble(loss.group(1)) < 0.1, said);
    }
}
