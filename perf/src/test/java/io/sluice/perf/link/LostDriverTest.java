package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
final class LostDriverTest {
    private static final int ROUND_TRIPS = 1_000;

    @TempDir
    private Path folder;

    /** To a poll, a stream that Aeron has closed looks like a stream without frames. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource
    void aWaitEndsWithTheErrorThatTheDriverIsGone(LinkStack stack) {
        Path directory = folder.resolve("aeron");
        Driver driver = Driver.launch(new Driver.Context().directory(directory));
        LinkSpec spec = new LinkSpec(
                LinkSpec.Mode.RTT,
                LinkSpec.Medium.IPC,
                64,
                stack,
                ROUND_TRIPS,
                0,
                LinkSpec.Waiting.YIELD,
                false,
                100,
                "" + directory);
        List<Benchmark> ends = spec.prepare();
        try (Benchmark sender = ends.get(0);
                Benchmark receiver = ends.get(1)) {
            driver.close();
            MessagingException lost =
                    assertThrows(MessagingException.class, () -> receiver.pass(new Tally()), sender::toString);
            assertTrue(lost.getMessage().startsWith("the media driver in " + directory), lost::getMessage);
        } finally {
            driver.close();
        }
    }
}
