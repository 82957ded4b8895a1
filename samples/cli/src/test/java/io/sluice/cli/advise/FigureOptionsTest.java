package io.sluice.cli.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FigureOptionsTest {
    private final ObjectNode counters = new ObjectMapper()
            .createObjectNode()
            .put("workers", 2)
            .put("servers", 1)
            .put("parameters", 1_000_000)
            .put("transport", "udp")
            .put("compute_seconds", 0.1)
            .put("clock_seconds", 1);

    private Advice advise(String... arguments) {
        FigureOptions options = CommandLine.populateCommand(new FigureOptions(), arguments);
        options.check();
        return options.advise("the running job", counters, Set.of("workers", "servers"));
    }

    /** A job whose counters do not name its terms is not taken for one with the usual terms. */
    @Test
    void termsThatARunningJobDoesNotNameAreRequired() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, this::advise);
        assertEquals(
                "some figures of the running job are missing, state them with --link-rate, --protocol, --consistency,"
                        + " --tree, --values, --slice",
                e.getMessage());
    }

    @Test
    void nodesOfOtherHostsAreStated() {
        counters.put("protocol", "update").put("consistency", "bsp").put("tree", "chain");
        counters.put("values", "f32").put("slice", 16_320).put("link_rate", 1_000_000_000);
        JobFigures job = advise("--workers", "8", "--link-rate", "100mbit").job();
        assertEquals(8, job.workers());
        assertEquals(100_000_000, job.linkRate());
        assertEquals("chain", job.setup().tree());
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> advise("--tree", "flat"));
        assertEquals("--tree is flat, but the running job has chain: omit the option", e.getMessage());
    }

    @Test
    void aJobThatSendsNothingGetsNoFilter() {
        counters.put("protocol", "update")
                .put("consistency", "bsp")
                .put("tree", "chain")
                .put("kept", 0);
        counters.put("values", "f32").put("slice", 16_320).put("link_rate", 1_000_000_000);
        Advice advice = advise();
        assertEquals(1, advice.job().union(1));
        assertEquals(0.1, advice.job().union(0.05), 0.01);
        assertFalse(advice.toString().contains("density"));
    }
}
