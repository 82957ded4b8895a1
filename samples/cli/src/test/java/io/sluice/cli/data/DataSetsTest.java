package io.sluice.cli.data;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Obtains the real data sets; skipped if this machine has no package client or no network. */
@Tag("slow")
@Timeout(600)
class DataSetsTest {
    @TempDir
    private Path folder;

    static Iterable<DataSet> sets() {
        return DataSet.ALL;
    }

    @ParameterizedTest
    @MethodSource("sets")
    void isAsExpected(DataSet set) throws IOException, InterruptedException {
        Obtaining obtaining = new Obtaining(set, folder.resolve("data"), Programs.onPath());
        try {
            assertTrue(obtaining.run(new PrintWriter(System.err)));
        } catch (UnavailableException e) {
            abort(e.getMessage());
        }
    }
}
