package io.sluice.samples.lr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

@Timeout(120)
@Isolated("takes over standard output")
class SpamClassifierTest {
    @Test
    @Tag("slow")
    void learns() throws IOException, InterruptedException {
        PrintStream console = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true));
        try {
            SpamClassifier.main(new String[0]);
        } finally {
            System.setOut(console);
        }
        Matcher said = Pattern.compile("accuracy (\\d+)[.,]\\d %, \\d\\S* bytes pushed\\R")
                .matcher(bytes.toString());
        assertTrue(said.matches(), bytes::toString);
        assertTrue(Integer.parseInt(said.group(1)) >= 95, bytes::toString);
    }
}
