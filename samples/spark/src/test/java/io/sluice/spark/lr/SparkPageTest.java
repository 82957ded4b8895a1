package io.sluice.spark.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program in docs/spark.md compiles and finds the line. */
@Tag("slow")
@Timeout(200)
class SparkPageTest {
    /** The folder of the checkout; a build runs tests in the folder of the module. */
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

    @TempDir
    private Path folder;

    @Test
    void theProgramFindsTheLine() throws IOException, InterruptedException {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve("docs/spark.md")));
        assertTrue(block.find());
        Path program = Files.writeString(folder.resolve("Line.java"), block.group(1));
        String libraries = System.getProperty("java.class.path");
        assertEquals(
                0,
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", "-cp", libraries, program.toString()));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + ROOT.resolve("jvm.args"));
        command.addAll(List.of("-Duser.language=en", "-cp", folder + ":" + libraries, "Line"));
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertEquals(0, process.waitFor(), () -> "the program's exit code");
        assertEquals("y = 3.00 x + 1.00\n", Files.readString(out));
    }
}
