package io.sluice.consistency.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.codecs.Property;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A read returns the written state or fails. */
class SnapshotFolderTest {
    private static final long RUN = 77;

    @TempDir
    private Path temporary;

    @Test
    void snapshotsAreReadAsTheyWereWritten() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("server-0"));
        Property.holds(20, random -> {
            try (Arena arena = Arena.ofConfined()) {
                Snapshot written = snapshot(random, random.nextInt(1_000), arena);
                folder.save(written);
                StoredSnapshot read = folder.read(written.clock(), arena);
                read.requireFit(written.terms(), written.tables());
                assertEquals(RUN, read.run());
                for (Snapshot.Section section : written.sections()) {
                    MemorySegment copy = arena.allocate(section.bytes().byteSize());
                    copy.fill((byte) 1);
                    read.copyTo(section.name(), copy);
                    assertEquals(-1, section.bytes().mismatch(copy), section.name());
                }
            }
        });
    }

    @Test
    void onlyTheOwnerHasAccess() throws IOException {
        assumeTrue(Files.getFileStore(temporary).supportsFileAttributeView(PosixFileAttributeView.class));
        Path path = temporary.resolve("job/worker-0");
        try (Arena arena = Arena.ofConfined()) {
            SnapshotFolder.open(path).save(snapshot(new SplittableRandom(1), 20, arena));
        }
        assertEquals("rwx------", permissions(path.getParent()));
        assertEquals("rwx------", permissions(path));
        assertEquals("rw-------", permissions(path.resolve("000000000020.snapshot")));
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aTruncatedOrChangedFileIsNamedAndSkipped() throws IOException {
        Path path = temporary.resolve("worker-1");
        SnapshotFolder folder = SnapshotFolder.open(path);
        byte[] whole;
        try (Arena arena = Arena.ofConfined()) {
            folder.save(snapshot(new SplittableRandom(1), 20, arena));
            folder.save(snapshot(new SplittableRandom(2), 30, arena));
        }
        Path newest = path.resolve("000000000030.snapshot");
        whole = Files.readAllBytes(newest);
        Property.holds(300, random -> {
            byte[] bytes = random.nextBoolean()
                    ? Arrays.copyOf(whole, random.nextInt(whole.length))
                    : flipped(whole, random.nextInt(8 * whole.length));
            Files.write(newest, bytes);
            List<String> damaged = new ArrayList<>();
            assertEquals(List.of(new SnapshotFolder.Held(RUN, 20)), folder.held(damaged::add));
            assertEquals(1, damaged.size());
            assertTrue(damaged.getFirst().contains(newest.toString()), damaged.getFirst());
        });
    }

    @Test
    void snapshotsThatMayBeCommittedAreNotDeleted() throws IOException {
        Path path = temporary.resolve("worker-3");
        SnapshotFolder folder = SnapshotFolder.open(path);
        folder.requireNoneCommitted();
        try (Arena arena = Arena.ofConfined()) {
            Snapshot first = snapshot(new SplittableRandom(1), 20, arena);
            folder.save(first);
            folder.requireNoneCommitted();
            folder.save(new Snapshot(RUN, first.node(), 30, "terms", "tables", List.of(20L), first.sections()));
            requireRefused(folder, path.resolve("000000000030.snapshot") + " states that the snapshot of clock 20 ");
            folder.keep(clock -> clock == 20);
        }
        Path only = path.resolve("000000000020.snapshot");
        Files.write(only, flipped(Files.readAllBytes(only), 1_000));
        requireRefused(folder, only.toString());
        assertThrows(SnapshotException.class, () -> folder.heldUnlessAllDamaged(sentence -> {}));
    }

    private static void requireRefused(SnapshotFolder folder, String words) {
        SnapshotException refusal = assertThrows(SnapshotException.class, folder::requireNoneCommitted);
        assertTrue(refusal.getMessage().contains(words), refusal.getMessage());
    }

    private static byte[] flipped(byte[] whole, int bit) {
        byte[] bytes = whole.clone();
        bytes[bit / 8] ^= (byte) (1 << bit % 8);
        return bytes;
    }

    /** A header with invalid numbers and a right checksum counts as damage. */
    @Tag("slow")
    @Test
    void anInvalidHeaderIsNamed() throws IOException {
        Path path = temporary.resolve("worker-2");
        SnapshotFolder folder = SnapshotFolder.open(path);
        try (Arena arena = Arena.ofConfined()) {
            folder.save(snapshot(new SplittableRandom(1), 20, arena));
        }
        Path file = path.resolve("000000000020.snapshot");
        byte[] whole = Files.readAllBytes(file);
        int header = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(2 * Long.BYTES);
        Property.holds(1_000, random -> {
            byte[] bytes = whole.clone();
            ByteBuffer changed = ByteBuffer.wrap(bytes);
            int at = 2 * Long.BYTES + Integer.BYTES + random.nextInt(header - Long.BYTES);
            int kind = random.nextInt(4);
            switch (kind) {
                case 0 -> changed.putInt(at, -1 - random.nextInt(1_000));
                case 1 -> changed.putInt(at, Integer.MAX_VALUE - random.nextInt(1_000));
                case 2 -> changed.putLong(at, random.nextLong());
                default -> changed.putLong(at, Long.MAX_VALUE - random.nextInt(1_000));
            }
            CRC32C checksum = new CRC32C();
            checksum.update(bytes, 0, bytes.length - Integer.BYTES);
            changed.order(ByteOrder.LITTLE_ENDIAN).putInt(bytes.length - Integer.BYTES, (int) checksum.getValue());
            Files.write(file, bytes);
            List<String> damaged = new ArrayList<>();
            List<SnapshotFolder.Held> held = folder.held(damaged::add);
            assertEquals(1, held.size() + damaged.size());
            try (Arena arena = Arena.ofConfined()) {
                StoredSnapshot read = folder.read(20, arena);
                if (0 == kind) { // a wrong but plausible length is detected only when the section is read
                    read.bytes("part 0");
                }
            } catch (SnapshotException e) {
                assertTrue(e.getMessage().contains("20"), e.getMessage());
            }
        });
    }

    @Test
    void unfinishedFilesOfAnotherProcessAreRemoved() throws IOException {
        Path path = Files.createDirectories(temporary.resolve("server-1"));
        Files.write(path.resolve("000000000007.snapshot.part"), new byte[100]);
        SnapshotFolder folder = SnapshotFolder.open(path);
        assertEquals(List.of(), folder.held(sentence -> {}));
        folder.keep(clock -> true);
        try (Stream<Path> left = Files.list(path)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void keepsOnlyTheRequestedClocks() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("server-2"));
        try (Arena arena = Arena.ofConfined()) {
            for (long clock = 1; clock <= 5; clock++) {
                folder.save(snapshot(new SplittableRandom(clock), clock, arena));
            }
        }
        folder.keep(clock -> clock == 5 || clock == 2);
        assertEquals(
                List.of(new SnapshotFolder.Held(RUN, 5), new SnapshotFolder.Held(RUN, 2)), folder.held(sentence -> {}));
    }

    @Test
    void anImpossibleFolderIsNamed() throws IOException {
        Path file = Files.createFile(temporary.resolve("a file"));
        SnapshotException refused =
                assertThrows(SnapshotException.class, () -> SnapshotFolder.open(file.resolve("server-0")));
        assertTrue(refused.getMessage().contains(file.toString()), refused.getMessage());
    }

    @Test
    void aSnapshotOfOtherTermsOrTablesIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("server-3"));
            Snapshot written = snapshot(new SplittableRandom(3), 4, arena);
            folder.save(written);
            StoredSnapshot snapshot = folder.read(4, arena);
            assertThrows(SnapshotException.class, () -> snapshot.requireFit("other", written.tables()));
            assertThrows(SnapshotException.class, () -> snapshot.requireFit(written.terms(), "other"));
            assertThrows(SnapshotException.class, () -> snapshot.bytes("nothing"));
            Snapshot.Section first = written.sections().getFirst();
            MemorySegment longer = arena.allocate(first.bytes().byteSize() + 1);
            assertThrows(SnapshotException.class, () -> snapshot.copyTo(first.name(), longer));
        }
    }

    private static Snapshot snapshot(SplittableRandom random, long clock, Arena arena) {
        List<Snapshot.Section> sections = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[i == 0 ? 1 + random.nextInt(300) : random.nextInt(3_000)];
            random.nextBytes(bytes);
            MemorySegment segment = arena.allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length);
            MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
            sections.add(new Snapshot.Section("part " + i, segment));
        }
        return new Snapshot(RUN, "worker 1", clock, "the terms", "the tables", sections);
    }

    @Test
    void theReasonForAnUnusableFolderIsASentence() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));
        for (Path folder : List.of(file, file.resolve("in-it"))) {
            SnapshotException failure = assertThrows(SnapshotException.class, () -> SnapshotFolder.open(folder));
            String said = failure.getMessage();
            assertTrue(said.startsWith("the snapshot folder " + folder + " cannot be used: "), said);
            assertFalse(said.contains("Exception") || said.contains("FileAlreadyExists"), said);
        }
        assertEquals(
                "the snapshot folder " + file + " cannot be used: " + file + " is not a folder",
                assertThrows(SnapshotException.class, () -> SnapshotFolder.open(file))
                        .getMessage());
    }
}
