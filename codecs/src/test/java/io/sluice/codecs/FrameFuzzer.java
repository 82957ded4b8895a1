package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * A process that validates hostile frames where a read beyond the end of one is fatal; {@link FrameFuzzContract} starts
 * it. Arguments: a mode and its parameters.
 *
 * <ul>
 *   <li>{@code all}: all that can be enumerated;
 *   <li>{@code fuzz} directory seconds seed: generated frames, each with a seed that counts up from the given one;
 *   <li>{@code replay} file: one frame;
 *   <li>{@code overread}: reads one byte too many, to show that this is detected.
 * </ul>
 *
 * <p>A mapped file keeps the current frame even if the process crashes.
 */
public final class FrameFuzzer {
    /** The file, in the directory, with the frame validated last: its length as an int, and its bytes. */
    static final String LAST = "last-frame.bin";

    private static final int REPORT_EVERY = 1 << 20;

    private final FrameMutator mutator = new FrameMutator();
    private final FrameJudge judge;
    private final MappedByteBuffer last;

    private FrameFuzzer(FrameJudge judge, Path directory) throws IOException {
        this.judge = judge;
        Path file = directory.resolve(LAST);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            last = channel.map(FileChannel.MapMode.READ_WRITE, 0, Integer.BYTES + mutator.bytes().length);
        }
    }

    public static void main(String[] arguments) throws IOException {
        run(arguments, opened -> {});
    }

    /**
     * Fuzzes as the arguments state.
     *
     * @param arguments arguments of the process
     * @param use processes accepted data frames
     */
    public static void run(String[] arguments, Consumer<DataFrameDecoder> use) throws IOException {
        FrameJudge judge = FrameJudge.inGuardedMemory(use);
        switch (arguments[0]) {
            case "all" -> new HostileFrames(judge).all();
            case "fuzz" ->
                new FrameFuzzer(judge, Path.of(arguments[1]))
                        .run(Long.parseLong(arguments[2]), Long.parseLong(arguments[3]));
            case "replay" -> replay(judge, Path.of(arguments[1]));
            case "overread" -> overread();
            default -> throw new IllegalArgumentException("no mode " + arguments[0]);
        }
    }

    private void run(long seconds, long firstSeed) {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        long seed = firstSeed;
        while (System.nanoTime() < end) {
            one(seed++);
            if ((seed - firstSeed) % REPORT_EVERY == 0) {
                System.out.println(seed - firstSeed + counts());
            }
        }
        System.out.println(seed - firstSeed + counts() + ", seeds from " + firstSeed);
        assertTrue(judge.accepted() > 0, "none was accepted");
        assertTrue(judge.unverified() > 0, "none was refused for its checksum alone");
    }

    private String counts() {
        return " frames, " + judge.accepted() + " accepted, " + judge.unverified() + " but for their checksum";
    }

    private void one(long seed) {
        int length = mutator.mutate(new SplittableRandom(seed));
        last.putInt(0, length).put(Integer.BYTES, mutator.bytes(), 0, length);
        try {
            judge.judge(mutator.bytes(), length);
        } catch (RuntimeException | Error e) {
            throw new AssertionError("the frame of seed " + seed + ": " + e, e);
        }
    }

    /** Reads the last frame of a process that has ended from the mapped file. */
    static byte[] lastFrame(Path directory) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(directory.resolve(LAST)));
        byte[] frame = new byte[file.getInt()];
        file.get(frame);
        return frame;
    }

    private static void overread() {
        long end = GuardedMemory.allocate(1).addressOffset() + 1;
        System.out.println("not noticed: " + OffHeap.ALL.get(ValueLayout.JAVA_BYTE, end));
    }

    private static void replay(FrameJudge judge, Path file) throws IOException {
        byte[] frame = Files.readAllBytes(file);
        Rejection rejection = judge.judge(frame, frame.length);
        System.out.println("judged: " + (rejection == null ? "valid" : rejection));
    }
}
