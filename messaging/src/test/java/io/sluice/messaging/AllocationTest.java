package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.messaging.FrameHandler.Action;
import java.lang.management.ManagementFactory;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(180)
class AllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int BATCHES = 50;
    private static final int MEASURED = 20_000;

    /** Frames are in flight while the counts are taken; the JVM's own bookkeeping may show up once, not per frame. */
    private static final long SLACK_BYTES = 2_000;

    private final Frames frames = new Frames();
    private final IdleStrategy idle = new BackoffIdleStrategy();

    @ParameterizedTest
    @CsvSource({"ipc,256,false", "udp,256,false", "ipc,30000,false", "udp,30000,false", "ipc,256,true", "udp,30000,true"
    })
    void offerAndPollAllocateNothing(String media, int elements, boolean deferred) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemorySupported());
        threads.setThreadAllocatedMemoryEnabled(true);
        int share = elements > 1000 ? 20 : 1;
        try (Rig rig = new Rig(Rig.shortTerms())) {
            int[] calls = new int[1];
            Inbox inbox = rig.inbox(
                    media,
                    (buffer, offset, length, template, session) ->
                            deferred && ++calls[0] % 2 == 1 ? Action.ABORT : Action.CONTINUE);
            Link link = rig.link(inbox);
            int length = frames.encode(7, elements);
            exchange(link, inbox, length, WARM_UP / share);

            long least = Long.MAX_VALUE; // on a busy machine compilers, which allocate a little, are late
            for (int batch = 0; batch < BATCHES && least >= SLACK_BYTES; batch++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                exchange(link, inbox, length, MEASURED / share);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertTrue(least < SLACK_BYTES, "each " + MEASURED / share + " frames allocated " + least + " bytes");
        }
    }

    private void exchange(Link link, Inbox inbox, int length, int count) {
        long goal = inbox.frames() + count;
        int sent = 0;
        while (inbox.frames() < goal) {
            int work = 0;
            if (sent < count && link.offer(frames.buffer(), 0, length)) {
                sent++;
                work++;
            }
            work += inbox.poll(16);
            idle.idle(work);
        }
    }
}
