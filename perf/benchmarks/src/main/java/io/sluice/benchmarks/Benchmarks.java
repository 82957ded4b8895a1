package io.sluice.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.Main;

/** Runs JMH with the options that every run of this jar needs. */
public final class Benchmarks {
    private static final String FAIL_ON_ERROR = "-foe";

    private Benchmarks() {}

    /**
     * Runs benchmarks. The process ends with 1 if one of them fails; JMH alone prints an empty table and ends with 0.
     *
     * @param args arguments as JMH's own main class takes them; {@code -h} lists them
     * @throws IOException if JMH cannot read its list of benchmarks
     */
    public static void main(String[] args) throws IOException {
        Main.main(withDefaults(List.of(args)).toArray(String[]::new));
    }

    static List<String> withDefaults(List<String> args) {
        List<String> words = new ArrayList<>(args);
        if (!words.contains(FAIL_ON_ERROR)) {
            words.addAll(List.of(FAIL_ON_ERROR, "true"));
        }
        words.addAll(List.of("-prof", CompressionRatio.class.getName()));
        return words;
    }
}
