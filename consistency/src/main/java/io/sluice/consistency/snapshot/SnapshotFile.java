package io.sluice.consistency.snapshot;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * One snapshot on disk: magic number, clock of its parent (-1 for none), length of the header, header, the records of
 * all sections ({@link PageRecords}), and a CRC-32C of all before it. Numbers outside the header are little endian.
 *
 * <p>With a parent it is an increment: its pages are those that differ from the parent's. Without one they differ from
 * zeros.
 *
 * <p>On a file system without faults a file is complete or does not exist: it is written under another name, forced to
 * disk, then renamed. The checksum detects any other case.
 */
final class SnapshotFile {
    /** Suffix of the name of a file that is being written. */
    static final String UNFINISHED = ".part";

    /** The letters SLUSNAP and the number of the format. */
    private static final long MAGIC = 0x0550414E53554C53L;

    private static final Set<StandardOpenOption> CREATE =
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private static final int PREFIX = 2 * Long.BYTES + Integer.BYTES;
    private static final int CHUNK = 1 << 20;

    /** Longest header, which holds names and the tables' shapes. */
    private static final int MAX_HEADER = 16 << 20;

    /** Longest section: its pages are numbered with 31 bits. */
    private static final long MAX_SECTION = (long) Integer.MAX_VALUE * SectionPages.PAGE;

    private SnapshotFile() {}

    /**
     * The state of a written snapshot, on which another can build.
     *
     * @param clock    clock of the snapshot
     * @param checksum checksum of its file
     * @param sections sections by name
     */
    record Base(long clock, int checksum, Map<String, SectionPages> sections) {
        /** The pages with which those of a section are compared; null for zeros. */
        SectionPages of(SectionPages section) {
            SectionPages before = sections.get(section.name());
            return null != before && before.bytes() == section.bytes() ? before : null;
        }
    }

    /** The base of a snapshot without a parent: all zeros. */
    static final Base NOTHING = new Base(SnapshotSchedule.NONE, 0, Map.of());

    /**
     * A file that was written.
     *
     * @param base   base on which the next can build
     * @param length length of the file, in bytes
     */
    record Written(Base base, long length) {}

    /**
     * Writes a snapshot, forces it to disk, and puts it in place.
     *
     * @param file     file to be written
     * @param snapshot snapshot with the state
     * @param pages    pages of its sections, in their order
     * @param parent   parent on which it builds, or {@link #NOTHING}
     * @throws IOException if that fails; the file is then absent or unchanged
     */
    static Written write(Path file, Snapshot snapshot, List<SectionPages> pages, Base parent) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
        Written written;
        try {
            Files.deleteIfExists(unfinished); // a file from an earlier attempt may have other permissions
            try (FileChannel channel = FileChannel.open(unfinished, CREATE, OwnerOnly.file(unfinished))) {
                written = writeAll(new ChecksummedFile(channel), snapshot, pages, parent);
                channel.force(true);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(unfinished); // a partial file would keep a full disk full
            throw e;
        }
        forceNames(file.getParent());
        return written;
    }

    /** Forces the folder to disk, and with it the names of its files. */
    static void forceNames(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static Written writeAll(ChecksummedFile file, Snapshot snapshot, List<SectionPages> pages, Base parent)
            throws IOException {
        byte[] header = header(snapshot, pages, parent);
        file.put(ByteBuffer.allocate(PREFIX)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(MAGIC)
                .putLong(parent.clock())
                .putInt(header.length)
                .flip());
        file.put(ByteBuffer.wrap(header));
        PageRecords records = new PageRecords();
        Map<String, SectionPages> sections = new HashMap<>();
        for (int i = 0; i < pages.size(); i++) {
            SectionPages section = pages.get(i);
            records.write(snapshot.sections().get(i).bytes(), section, parent.of(section), file);
            sections.put(section.name(), section);
        }
        int checksum = file.finish();
        return new Written(new Base(snapshot.clock(), checksum, sections), file.length());
    }

    private static byte[] header(Snapshot snapshot, List<SectionPages> pages, Base parent) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(snapshot.run());
        writeText(out, snapshot.node());
        out.writeLong(snapshot.clock());
        out.writeInt(parent.checksum());
        writeText(out, snapshot.terms());
        writeText(out, snapshot.tables());
        out.writeInt(snapshot.commits().size());
        for (long commit : snapshot.commits()) {
            out.writeLong(commit);
        }
        out.writeInt(pages.size());
        for (SectionPages section : pages) {
            writeText(out, section.name());
            out.writeLong(section.bytes());
            out.writeInt(section.checksum());
            out.writeBoolean(null != parent.of(section));
        }
        return bytes.toByteArray();
    }

    /** Writes a text of any length, since the declarations of many tables are long. */
    private static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(readCount(in, Byte.BYTES)), StandardCharsets.UTF_8);
    }

    /** Reads a number of items that follow, each at least a given number of bytes long. */
    private static int readCount(DataInputStream in, int bytesEach) throws IOException {
        int count = in.readInt();
        if (count < 0 || (long) count * bytesEach > in.available()) {
            throw new EOFException(
                    count + " times " + bytesEach + " bytes should follow, but there are " + in.available());
        }
        return count;
    }

    private static List<Long> readClocks(DataInputStream in) throws IOException {
        int count = readCount(in, Long.BYTES);
        List<Long> clocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clocks.add(in.readLong());
        }
        return clocks;
    }

    /**
     * The clock of a file's parent, whether or not the file is whole.
     *
     * @return that clock, or {@link SnapshotSchedule#NONE} if it has no parent or is not a snapshot
     * @throws IOException if it cannot be read
     */
    static long parentOf(Path file) throws IOException {
        ByteBuffer prefix = ByteBuffer.allocate(PREFIX).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (prefix.hasRemaining() && channel.read(prefix) >= 0) {}
        }
        return prefix.hasRemaining() || MAGIC != prefix.getLong(0) ? SnapshotSchedule.NONE : prefix.getLong(Long.BYTES);
    }

    /**
     * Maps a file into memory, once its checksum has been verified.
     *
     * @param arena keeps the file mapped
     * @throws SnapshotException if the file is torn, damaged, or no snapshot
     * @throws IOException       if it cannot be read
     */
    static SnapshotLink read(Path file, Arena arena) throws IOException {
        MemorySegment all;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        }
        ByteBuffer prefix = little(all, 0, Math.min(PREFIX, all.byteSize()));
        if (prefix.remaining() < PREFIX || MAGIC != prefix.getLong()) {
            throw new SnapshotException(file + " is not a snapshot of this version: it does not begin as one");
        }
        long parent = prefix.getLong();
        int headerLength = prefix.getInt();
        if (headerLength < 0 || headerLength > MAX_HEADER || all.byteSize() < PREFIX + headerLength + Integer.BYTES) {
            throw new SnapshotException(file + " is damaged: it declares a header of " + headerLength
                    + " bytes, but the file has " + all.byteSize());
        }
        int checksum = verify(file, all);
        byte[] header = all.asSlice(PREFIX, headerLength).toArray(ValueLayout.JAVA_BYTE);
        try {
            return parse(file, header, parent, checksum, all, PREFIX + headerLength);
        } catch (EOFException e) {
            throw new SnapshotException(file + " is damaged: its header is incomplete", e);
        }
    }

    private static int verify(Path file, MemorySegment all) {
        CRC32C checksum = new CRC32C();
        long end = all.byteSize() - Integer.BYTES;
        for (long at = 0; at < end; at += CHUNK) {
            checksum.update(all.asSlice(at, Math.min(CHUNK, end - at)).asByteBuffer());
        }
        int expected = little(all, end, Integer.BYTES).getInt();
        if (expected != (int) checksum.getValue()) {
            throw new SnapshotException(file + " is torn or damaged: its checksum is "
                    + Integer.toHexString((int) checksum.getValue()) + ", expected " + Integer.toHexString(expected));
        }
        return expected;
    }

    private static SnapshotLink parse(
            Path file, byte[] header, long parent, int checksum, MemorySegment all, long begin) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(header));
        long run = in.readLong();
        String node = readText(in);
        long clock = in.readLong();
        int parentChecksum = in.readInt();
        String terms = readText(in);
        String tables = readText(in);
        List<Long> commits = readClocks(in);
        int count = readCount(in, 1);
        List<SnapshotLink.Part> parts = new ArrayList<>();
        long at = begin;
        long end = all.byteSize() - Integer.BYTES;
        for (int i = 0; i < count; i++) {
            String name = readText(in);
            long bytes = in.readLong();
            int content = in.readInt();
            boolean increment = in.readBoolean();
            long next = bytes < 0 || bytes > MAX_SECTION ? -1 : PageRecords.end(all, at, end, bytes);
            if (next < 0) {
                throw new SnapshotException(file + " is damaged: the pages of its section " + name + " are not valid");
            }
            parts.add(new SnapshotLink.Part(name, bytes, content, increment, all.asSlice(at, next - at)));
            at = next;
        }
        if (at != end) {
            throw new SnapshotException(file + " is damaged: " + (end - at) + " bytes follow its last section");
        }
        return new SnapshotLink(
                file, run, node, clock, parent, parentChecksum, checksum, terms, tables, commits, parts);
    }

    private static ByteBuffer little(MemorySegment bytes, long at, long length) {
        return bytes.asSlice(at, length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }
}
