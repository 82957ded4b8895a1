package io.sluice.messaging.idle;

import io.sluice.messaging.linux.CLibrary;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Wakes sleeping threads of a host: those of its media driver when a node has sent or consumed frames, and those of its
 * nodes when the driver has worked or another node has sent a frame through shared memory.
 *
 * <p>A page in the driver's directory, which all processes map, holds two flags. A thread sets its side's flag, polls
 * for work once more, and sleeps. Another thread that has produced work clears the flag and wakes the sleepers; while
 * the flag is clear, that costs one read. Threads of nodes sleep on a word of the page. The driver's threads also wait
 * for sockets, so they sleep until a pipe in the driver's directory has a byte.
 *
 * <p>A fence makes the work visible to others before its producer reads the flag, so no sleeping thread misses work. A
 * process that dies while one of its threads sleeps leaves the flag set, which costs one useless call.
 *
 * <p>For any thread, except {@link #close}.
 */
public final class Bell implements AutoCloseable {
    /** The name of the page in the driver's directory. */
    public static final String PAGE = "sluice-bell.dat";

    /** The name of the pipe there. */
    public static final String PIPE = "sluice-bell.pipe";

    private static final int LENGTH = 4_096;
    private static final int NO_PIPE = -1;

    /** The bell of a driver that has none; has no effect. */
    public static final Bell NONE = new Bell(new UnsafeBuffer(new byte[LENGTH]), NO_PIPE);

    // in different cache lines
    private static final int NODES_RUNG = 0;
    private static final int NODES_ASLEEP = 128;
    private static final int DRIVER_ASLEEP = 256;

    private final UnsafeBuffer page;
    private final int pipe;
    private volatile boolean closed;

    private Bell(UnsafeBuffer page, int pipe) {
        this.page = page;
        this.pipe = pipe;
    }

    /**
     * Creates the bell of a driver, before clients can connect to it.
     *
     * @param directory of the driver
     * @return the bell
     * @throws IOException if the bell cannot be created; no files remain
     */
    static Bell create(Path directory) throws IOException {
        if (!CLibrary.isAvailable()) {
            throw new IOException(
                    "the bell that wakes them needs Linux on amd64 or aarch64, and --enable-native-access");
        }
        Path page = directory.resolve(PAGE);
        Path pipe = directory.resolve(PIPE);
        try {
            if (!CLibrary.makePipe(pipe.toString())) {
                throw new IOException("the pipe " + pipe + " cannot be created");
            }
            Files.write(page, new byte[LENGTH]);
            return map(directory);
        } catch (IOException e) {
            Files.deleteIfExists(page);
            Files.deleteIfExists(pipe);
            throw e;
        }
    }

    /**
     * The bell of a running driver.
     *
     * @param directory of the driver
     * @return the bell; {@link #NONE} if the driver has none
     */
    public static Bell of(Path directory) {
        if (!Files.exists(directory.resolve(PAGE)) || !CLibrary.isAvailable()) {
            return NONE;
        }
        try {
            return map(directory);
        } catch (IOException _) {
            return NONE; // the driver has ended; the transport reports that
        }
    }

    private static Bell map(Path directory) throws IOException {
        try (FileChannel channel =
                FileChannel.open(directory.resolve(PAGE), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
            Path path = directory.resolve(PIPE);
            int pipe = CLibrary.openPipe(path.toString());
            if (pipe == NO_PIPE) {
                throw new IOException("the pipe " + path + " cannot be opened");
            }
            return new Bell(new UnsafeBuffer(mapped), pipe);
        }
    }

    /** Wakes the driver's threads if they sleep: there is something to send. */
    public void ringDriver() {
        if (isOpen() && isSet(DRIVER_ASLEEP) && page.compareAndSetInt(DRIVER_ASLEEP, 1, 0)) {
            CLibrary.write(pipe, page.addressOffset(), 1);
        }
    }

    /** Wakes the threads of nodes that sleep: there may be something to receive. */
    public void ringNodes() {
        if (isOpen() && isSet(NODES_ASLEEP) && page.compareAndSetInt(NODES_ASLEEP, 1, 0)) {
            page.getAndAddInt(NODES_RUNG, 1);
            CLibrary.wake(page.addressOffset() + NODES_RUNG);
        }
    }

    private boolean isSet(int flag) {
        VarHandle.fullFence(); // makes the producer's work visible before the flag is read
        return page.getIntVolatile(flag) != 0;
    }

    /** Announces that a thread of a node is going to sleep. Returns what {@link #sleepAsNode} needs. */
    int announceNode() {
        int rung = page.getIntVolatile(NODES_RUNG);
        page.putIntVolatile(NODES_ASLEEP, 1);
        return rung;
    }

    /** Whether nodes have been woken since an announcement. */
    boolean hasRung(int announced) {
        return page.getIntVolatile(NODES_RUNG) != announced;
    }

    /** Sleeps until the announced nodes are woken, at most for a time. */
    void sleepAsNode(int announced, long timespec) {
        CLibrary.await(page.addressOffset() + NODES_RUNG, announced, timespec);
    }

    /** Announces that a thread of the driver is going to sleep; false if that is already announced, or closed. */
    boolean announceDriver() {
        return isOpen() && page.compareAndSetInt(DRIVER_ASLEEP, 0, 1);
    }

    /** The pipe that has a byte when the driver should wake. */
    int pipe() {
        return pipe;
    }

    /** Whether it exists and is not closed. */
    boolean isOpen() {
        return pipe != NO_PIPE && !closed;
    }

    /** Frees the pipe. Afterwards this object has no effect. */
    @Override
    public void close() {
        if (isOpen()) {
            closed = true;
            CLibrary.close(pipe);
        }
    }
}
