package io.sluice.consistency.snapshot;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
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
import java.util.List;
import java.util.zip.CRC32C;

/**
 * One snapshot on disk: magic number, length of the header, header, sections, and a CRC-32C of all before it. Numbers
 * outside the header are little endian.
 *
 * <p>A file is there whole or not at all, as far as the file system keeps its word: it is written under another name,
 * forced to disk, then renamed. Whatever breaks that is found by the checksum.
 */
final class SnapshotFile {
    /** What a file is called while it is being written. */
    static final String UNFINISHED = ".part";

    /** The letters SLUSNAP and the number of the format. */
    private static final long MAGIC = 0x0150414E53554C53L;

    private static final int PREFIX = Long.BYTES + Integer.BYTES;
    private static final int CHUNK = 1 << 20;

    /** Headers hold names and the tables' shapes. */
    private static final int MAX_HEADER = 16 << 20;

    private SnapshotFile() {}

    /**
     * Writes a snapshot, forces it to disk, and puts it in place.
     *
     * @throws IOException if that fails: there is no file then, or the one that was there before
     */
    static void write(Path file, Snapshot snapshot) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
        try {
            try (FileChannel channel = FileChannel.open(
                    unfinished,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                writeAll(channel, snapshot);
                channel.force(true);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(unfinished); // a full disk should not stay full of it
            throw e;
        }
        try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
            folder.force(true); // the name is safe when the folder is
        }
    }

    private static void writeAll(FileChannel channel, Snapshot snapshot) throws IOException {
        CRC32C checksum = new CRC32C();
        byte[] header = header(snapshot);
        ByteBuffer prefix = ByteBuffer.allocate(PREFIX).order(ByteOrder.LITTLE_ENDIAN);
        put(channel, checksum, prefix.putLong(MAGIC).putInt(header.length).flip());
        put(channel, checksum, ByteBuffer.wrap(header));
        for (Snapshot.Section section : snapshot.sections()) {
            long size = section.bytes().byteSize();
            for (long at = 0; at < size; at += CHUNK) {
                put(
                        channel,
                        checksum,
                        section.bytes().asSlice(at, Math.min(CHUNK, size - at)).asByteBuffer());
            }
        }
        ByteBuffer end = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        writeFully(channel, end.putInt((int) checksum.getValue()).flip());
    }

    private static void put(FileChannel channel, CRC32C checksum, ByteBuffer bytes) throws IOException {
        checksum.update(bytes.duplicate());
        writeFully(channel, bytes);
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static byte[] header(Snapshot snapshot) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(snapshot.run());
        writeText(out, snapshot.node());
        out.writeLong(snapshot.clock());
        writeText(out, snapshot.terms());
        writeText(out, snapshot.tables());
        out.writeInt(snapshot.sections().size());
        for (Snapshot.Section section : snapshot.sections()) {
            writeText(out, section.name());
            out.writeLong(section.bytes().byteSize());
        }
        return bytes.toByteArray();
    }

    /** Of any length: the declarations of many tables are long. */
    private static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    /**
     * Maps a snapshot into memory, once its checksum has been verified.
     *
     * @param arena keeps the file mapped
     * @throws SnapshotException if the file is torn, damaged, or no snapshot
     * @throws IOException       if it cannot be read
     */
    static Snapshot read(Path file, Arena arena) throws IOException {
        MemorySegment all;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        }
        ByteBuffer prefix = little(all, 0, Math.min(PREFIX, all.byteSize()));
        if (prefix.remaining() < PREFIX || MAGIC != prefix.getLong()) {
            throw new SnapshotException(file + " is no snapshot of this version: it does not begin as one");
        }
        int headerLength = prefix.getInt();
        if (headerLength < 0 || headerLength > MAX_HEADER || all.byteSize() < PREFIX + headerLength + Integer.BYTES) {
            throw new SnapshotException(file + " is damaged: its header is said to have " + headerLength
                    + " bytes, the file has " + all.byteSize());
        }
        verify(file, all);
        byte[] header = all.asSlice(PREFIX, headerLength).toArray(ValueLayout.JAVA_BYTE);
        return parse(file, header, all, PREFIX + headerLength);
    }

    private static void verify(Path file, MemorySegment all) {
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
    }

    private static Snapshot parse(Path file, byte[] header, MemorySegment all, long begin) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(header));
        long run = in.readLong();
        String node = readText(in);
        long clock = in.readLong();
        String terms = readText(in);
        String tables = readText(in);
        int count = in.readInt();
        List<Snapshot.Section> sections = new ArrayList<>();
        long at = begin;
        long end = all.byteSize() - Integer.BYTES;
        for (int i = 0; i < count; i++) {
            String name = readText(in);
            long length = in.readLong();
            if (length < 0 || length > end - at) {
                throw new SnapshotException(file + " is damaged: section " + name + " is said to have " + length
                        + " bytes, " + (end - at) + " are left");
            }
            sections.add(new Snapshot.Section(name, all.asSlice(at, length)));
            at += length;
        }
        if (at != end) {
            throw new SnapshotException(file + " is damaged: " + (end - at) + " bytes follow its last section");
        }
        return new Snapshot(run, node, clock, terms, tables, sections);
    }

    private static ByteBuffer little(MemorySegment bytes, long at, long length) {
        return bytes.asSlice(at, length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }
}
