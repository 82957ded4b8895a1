package io.sluice.samples.lr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SpamClassifierTest {
    @Test
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
