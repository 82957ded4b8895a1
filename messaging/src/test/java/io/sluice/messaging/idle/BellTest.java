package io.sluice.messaging.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.messaging.linux.CLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sleeping threads wake when there is something to do, through separate mappings as in separate processes. One
 * wake-up that is lost takes longer than a whole test may.
 */
@Timeout(120)
final class BellTest {
    private static final long SLEEP_NS = TimeUnit.SECONDS.toNanos(40);
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long PARK_NS = 200_000;
    private static final int ROUNDS = 2_000;

    private final long beganNs = System.nanoTime();

    @TempDir
    private Path directory;

    private Bell driver;
    private Bell node;

    @BeforeEach
    void create() throws IOException {
        assumeTrue(CLibrary.isAvailable(), "needs Linux on amd64 or aarch64");
        driver = Bell.create(directory);
        node = Bell.of(directory);
    }

    @AfterEach
    void close() {
        driver.close();
        node.close();
    }

    private void assertNoneWasLost() {
        assertTrue(System.nanoTime() - beganNs < LIMIT_NS, "a thread has slept until its timeout");
    }

    @Test
    void existsWhereADriverCreatedIt(@TempDir Path other) {
        assertTrue(driver.isOpen());
        assertTrue(node.isOpen());
        assertSame(Bell.NONE, Bell.of(other));
    }

    @Test
    void leavesNoFilesIfItCannotBeMade(@TempDir Path other) throws IOException {
        Files.createDirectory(other.resolve(Bell.PAGE));
        Files.createDirectory(other.resolve(Bell.PIPE));
        assertThrows(IOException.class, () -> Bell.create(other));
        assertSame(Bell.NONE, Bell.of(other));
        Bell.create(other).close();
    }

    @Test
    void noneRingsNothing() {
        Bell.NONE.ringDriver();
        Bell.NONE.ringNodes();
        Bell.NONE.close();
        assertFalse(Bell.NONE.hasRung(0));
        assertFalse(Bell.NONE.announceDriver());
    }

    @Test
    void aClosedOneTakesNoAnnouncementsAndSwallowsNoRings() {
        assertTrue(driver.announceDriver());
        node.close();
        node.ringDriver();
        assertFalse(driver.announceDriver(), "it is still announced");
        driver.close();
        assertFalse(driver.announceDriver());
    }

    @Test
    void aRingAfterTheAnnouncementIsNotSleptThrough() {
        Timespec timeout = new Timespec();
        timeout.set(SLEEP_NS);
        for (int i = 0; i < ROUNDS; i++) {
            int announced = node.announceNode();
            assertFalse(node.hasRung(announced));
            driver.ringNodes();
            assertTrue(node.hasRung(announced));
            node.sleepAsNode(announced, timeout.address());
        }
        assertNoneWasLost();
    }

    @Test
    void ringsOnceForAnAnnouncement() {
        int announced = node.announceNode();
        driver.ringNodes();
        driver.ringNodes();
        assertFalse(node.hasRung(announced + 1), "the second ring had no sleeper to wake");
        assertTrue(driver.announceDriver());
        assertFalse(driver.announceDriver());
        node.ringDriver();
        assertTrue(driver.announceDriver());
    }

    /** Two threads take turns: each sleeps until the other wakes it. */
    @Test
    void threadsWakeEachOtherEachTime() throws InterruptedException {
        AtomicInteger turn = new AtomicInteger();
        Thread other = Thread.ofPlatform().start(() -> takeTurns(turn, 1, Bell.of(directory)));
        takeTurns(turn, 0, node);
        other.join();
        assertEquals(ROUNDS, turn.get());
        assertNoneWasLost();
    }

    private static void takeTurns(AtomicInteger turn, int odd, Bell bell) {
        IdleStrategy idle = new NodeIdle(bell, SLEEP_NS, SLEEP_NS);
        while (turn.get() < ROUNDS) {
            boolean mine = turn.get() % 2 == odd;
            if (mine) {
                turn.setRelease(turn.getPlain() + 1); // as frames are published: others need not see it at once
                bell.ringNodes();
            }
            idle.idle(mine ? 1 : 0);
        }
    }

    /** A thread whose work comes from another one of its process. */
    @Tag("slow")
    @Test
    void aThreadThatHasWorkIsWoken() throws InterruptedException {
        NodeIdle idle = new NodeIdle(node, SLEEP_NS, SLEEP_NS);
        work(idle, () -> false, idle::wake);
    }

    /** Runs a thread that sleeps until it has work, several times. */
    private void work(IdleStrategy idle, BooleanSupplier source, Runnable wake) throws InterruptedException {
        AtomicBoolean work = new AtomicBoolean();
        AtomicBoolean closed = new AtomicBoolean();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            while (!closed.get()) {
                boolean did = work.get();
                if (did) {
                    source.getAsBoolean();
                    work.set(false);
                }
                idle.idle(did ? 1 : 0);
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            work.setRelease(true);
            wake.run();
            while (work.get()) {
                assertNoneWasLost();
                Thread.onSpinWait();
            }
        }
        closed.set(true);
        wake.run();
        thread.join(SLEEP_NS / 1_000_000);
        assertNoneWasLost();
    }

    @Test
    void aDriverSleepsUntilANodeRings() throws InterruptedException {
        work(idle(new Sockets(), true, false, PARK_NS), () -> false, node::ringDriver);
    }

    /** The bell's pipe in another directory stands for a socket. */
    @Test
    void aDriverSleepsUntilASocketHasSomething(@TempDir Path other) throws IOException, InterruptedException {
        for (boolean sends : new boolean[] {true, false}) {
            Path path = Files.createDirectory(other.resolve("sends-" + sends)).resolve("socket");
            assertTrue(CLibrary.makePipe(path.toString()));
            int socket = CLibrary.openPipe(path.toString());
            Sockets sockets = new Sockets();
            sockets.add(socket);
            Timespec bytes = new Timespec();
            BooleanSupplier read = () -> {
                CLibrary.read(socket, bytes.address(), Long.BYTES);
                return true;
            };
            work(idle(sockets, sends, false, SLEEP_NS), read, () -> CLibrary.write(socket, bytes.address(), 1));
            CLibrary.close(socket);
        }
    }

    @Test
    void aDriverLooksInShortIntervalsWhereNobodyRings() {
        IdleStrategy pacing = idle(new Sockets(), true, true, PARK_NS);
        IdleStrategy receiver = idle(new Sockets(), false, false, PARK_NS);
        Sockets hidden = new Sockets();
        hidden.add(-1);
        IdleStrategy looking = idle(hidden, true, false, PARK_NS);
        for (int i = 0; i < 100; i++) {
            pacing.idle(0);
            receiver.idle(0);
            looking.idle(0);
        }
        assertNoneWasLost();
    }

    private DriverIdle idle(Sockets sockets, boolean sends, boolean paces, long parkNs) {
        DriverIdle idle = new DriverIdle(List.of(sockets), sends, () -> paces, parkNs, SLEEP_NS);
        idle.start(driver);
        return idle;
    }

    @Test
    void onlyThreadsThatBackOffWaitForIt() {
        IdleStrategy yields = new YieldingIdleStrategy();
        IdleStrategy backsOff = new BackoffIdleStrategy();
        assertSame(yields, NodeIdle.on(node, yields));
        assertSame(backsOff, NodeIdle.on(Bell.NONE, backsOff));
        assertInstanceOf(NodeIdle.class, NodeIdle.on(node, backsOff));
    }

    @Test
    void socketsChangeWhileThreadsWait() {
        Sockets sockets = new Sockets();
        int[] none = sockets.descriptors();
        sockets.add(5);
        sockets.add(7);
        assertNotSame(none, sockets.descriptors());
        assertEquals(List.of(5, 7), boxed(sockets));
        sockets.remove(5);
        assertEquals(List.of(7), boxed(sockets));
        assertFalse(sockets.areHidden());
        sockets.add(-1);
        assertTrue(sockets.areHidden());
        sockets.remove(-1);
        assertFalse(sockets.areHidden());
    }

    private static List<Integer> boxed(Sockets sockets) {
        return Arrays.stream(sockets.descriptors()).boxed().toList();
    }

    @Test
    void idlePeriodsAreShortUntilTheyAreLong() {
        IdlePeriods periods = new IdlePeriods();
        assertTrue(periods.areShort());
        periods.begin();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2);
        while (System.nanoTime() < end) {
            periods.begin(); // repetitions do not begin it again
        }
        periods.end();
        assertFalse(periods.areShort(), "an eighth of 2 ms");
        for (int i = 0; i < 64; i++) {
            periods.begin();
            periods.end();
        }
        assertTrue(periods.areShort());
        periods.begin();
        end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2);
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        periods.drop();
        periods.end();
        assertTrue(periods.areShort(), "the thread did other things");
    }
}
