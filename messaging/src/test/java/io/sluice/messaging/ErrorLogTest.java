package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ErrorLogTest {
    private static List<RecordedError> errors(Rig rig) {
        try (DriverView view = DriverView.open(rig.driver.directory())) {
            return view.errors();
        }
    }

    @Test
    void distinctErrorsAreCountedAndOutliveTheirProcess() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            assertEquals(List.of(), errors(rig));
            long beforeMs = System.currentTimeMillis();
            for (int i = 0; i < 5; i++) {
                rig.sender.onError(new IllegalStateException("the same"));
            }
            rig.receiver.onError(new IllegalArgumentException("another", new RuntimeException("its cause")));
            assertEquals(6, rig.errors.size(), "the handler gets each");

            rig.sender.close();
            List<RecordedError> recorded = errors(rig);
            assertEquals(2, recorded.size(), recorded.toString());
            RecordedError first = recorded.getFirst();
            assertEquals("sluice", first.source());
            assertEquals(ProcessHandle.current().pid(), first.processId());
            assertEquals(5, first.count());
            assertTrue(first.text().contains("IllegalStateException")
                    && first.text().contains("the same"));
            assertTrue(beforeMs <= first.firstMs() && first.firstMs() <= first.lastMs());
            assertEquals(1, recorded.get(1).count());
            assertTrue(recorded.get(1).text().contains("its cause"));
        }
    }

    @Test
    void oldFilesMakeRoomAndForeignOnesAreLeftAlone() throws Exception {
        long seed = System.nanoTime();
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Path folder = Files.createDirectory(rig.driver.directory().resolve(ErrorLog.FOLDER));
            byte[] noise = new byte[128 << 10];
            new SplittableRandom(seed).nextBytes(noise);
            Files.write(folder.resolve("errors-1-1-1.log"), noise);
            Files.writeString(folder.resolve("errors-2-2-2.log"), "short");
            Files.writeString(folder.resolve("notes.txt"), "mine");
            for (int i = 0; i < 70; i++) {
                ErrorLog log = new ErrorLog(rig.driver.directory());
                log.record(new IllegalStateException("number " + i));
            }
            try (Stream<Path> files = Files.list(folder)) {
                assertEquals(65, files.count());
            }
            assertTrue(Files.exists(folder.resolve("notes.txt")));
            List<RecordedError> recorded = errors(rig);
            assertEquals(64, recorded.size(), "seed " + seed);
            assertTrue(recorded.getLast().text().contains("number 69"));
        }
    }

    /** Each thread plays a process; both create the folder and a file of their own at the same time. */
    @Tag("slow")
    @Test
    void errorsOfProcessesThatFailAtOnceAreAllKept() throws Exception {
        int processes = 2;
        for (int round = 0; round < 300; round++) {
            Path directory = Files.createDirectory(Rig.newDirectory());
            AtomicInteger ready = new AtomicInteger();
            Runnable failing = () -> {
                ErrorLog log = new ErrorLog(directory);
                IllegalStateException error = new IllegalStateException("of one process");
                ready.incrementAndGet();
                while (ready.get() < processes) {
                    Thread.onSpinWait();
                }
                log.record(error);
            };
            try {
                Thread other = Thread.ofPlatform().start(failing);
                failing.run();
                other.join();
                assertEquals(processes, ErrorLog.read(directory).size(), "round " + round);
            } finally {
                IoUtil.delete(directory.toFile(), false);
            }
        }
    }

    @Test
    void anErrorLogIsNoCauseOfErrors() throws Exception {
        Path nowhere = Rig.newDirectory();
        ErrorLog log = new ErrorLog(nowhere);
        log.record(new IllegalStateException("never recorded"));
        assertEquals(List.of(), ErrorLog.read(nowhere));
        assertTrue(Files.notExists(nowhere));
    }
}
