package io.sluice.perf.nodes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A JVM of its own, and its answers to tasks. */
@Timeout(300)
final class NodeProcessTest {
    private static final long PATIENCE_S = 60;

    /** A task that returns the given numbers, or fails. */
    private record Answering(double[] numbers, boolean fails) implements NodeTask<double[]> {
        @Override
        public double[] run() {
            if (fails) {
                throw new IllegalStateException("no numbers\nat all");
            }
            return numbers;
        }
    }

    private record Ending() implements NodeTask<Integer> {
        @Override
        public Integer run() {
            throw new LinkageError("no such class");
        }
    }

    @Test
    void tasksAnswerInTheirOrder() throws IOException, InterruptedException {
        try (NodeProcess node = NodeProcess.local("node", 64, List.of())) {
            double[] numbers = {1.0 / 3, 2e-9};
            NodeProcess.Answer<double[]> first = node.order(new Answering(numbers, false));
            NodeProcess.Answer<double[]> second = node.order(new Answering(numbers, true));
            assertArrayEquals(numbers, first.await(PATIENCE_S));
            UnavailableException failure = assertThrows(UnavailableException.class, () -> second.await(PATIENCE_S));
            assertEquals("node failed: no numbers at all", failure.getMessage());
        }
    }

    @Test
    void anEndIsReportedWithTheOutputOfTheProcess() throws IOException, InterruptedException {
        try (NodeProcess node = NodeProcess.local("node", 64, List.of())) {
            NodeProcess.Answer<Integer> answer = node.order(new Ending());
            UnavailableException end = assertThrows(UnavailableException.class, () -> answer.await(PATIENCE_S));
            assertTrue(end.getMessage().contains("no such class"), end::getMessage);
        }
    }

    @Test
    void aSilentNodeIsNotWaitedForAnyLonger() throws IOException, InterruptedException {
        try (NodeProcess node = NodeProcess.local("node", 64, List.of())) {
            NodeProcess.Answer<Integer> answer = node.order(new Ending());
            UnavailableException silence = assertThrows(UnavailableException.class, () -> answer.await(0));
            assertEquals("node has been silent for 0 s", silence.getMessage());
            node.kill();
            assertTrue(assertThrows(UnavailableException.class, () -> answer.await(PATIENCE_S))
                    .getMessage()
                    .startsWith("node has ended"));
        }
    }
}
