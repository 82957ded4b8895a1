package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.ChildNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An update is one call deep in each stage that it passes, including the stages that the terms add. */
@Isolated("the probe exchanges frames one after another: beside other tests it waits for a processor each time")
@Timeout(240)
class PushDepthTest {
    private static final int MOST = 12;

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"1024 ssp:2 layer 1", "1024 bsp fifo 2"})
    void anUpdateReachesItsLinkInFewCalls(String terms) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(ChildNode.command(PushDepthProbe.class, terms.split(" ")));
        command.addAll(
                1, List.of("-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,io.sluice.messaging.Link::offer"));
        Process probe = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String line = probe.inputReader(StandardCharsets.UTF_8).readLine();
            assertTrue(probe.waitFor(60, TimeUnit.SECONDS));
            assertTrue(null != line && line.startsWith("[io.sluice.messaging.Link.offer("), line);
            int calls = line.split(", ").length;
            assertTrue(calls <= MOST, () -> calls + " calls: " + line);
        } finally {
            probe.destroyForcibly();
        }
    }
}
