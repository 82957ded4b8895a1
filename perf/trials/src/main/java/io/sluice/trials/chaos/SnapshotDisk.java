package io.sluice.trials.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The file system of the snapshots: a small one in memory if this user may mount one, otherwise a plain folder. It can
 * damage a snapshot and fill the small file system.
 */
final class SnapshotDisk implements AutoCloseable {
    private static final int MIB = 64;
    private static final int CHUNK = 1 << 16;
    private static final int TRIES = 10;
    private static final String FILLING = "filling";
    private static final String SUFFIX = ".snapshot";
    private static final long PATIENCE_SECONDS = 10;

    /** Prefix of a mount's name; the id of the mounting process follows. */
    private static final String NAME = "sluice-chaos-";

    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private final Path folder;
    private final boolean mounted;
    private final Thread hook;

    /** Creates the folder and mounts the file system. Unmounts those of killed trials. */
    SnapshotDisk(Path folder) throws IOException, InterruptedException {
        for (Path stale : staleMounts()) {
            run("umount", "--lazy", stale.toString());
        }
        this.folder = Files.createDirectories(folder);
        String name = NAME + ProcessHandle.current().pid();
        this.mounted = run("mount", "-t", "tmpfs", "-o", "size=" + MIB + "m", name, folder.toString());
        this.hook = Thread.ofPlatform().name("sluice-chaos-disk").unstarted(this::unmount);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Mounts whose names contain the id of a process that has ended. */
    private static List<Path> staleMounts() throws IOException {
        if (!Files.isReadable(MOUNTS)) {
            return List.of();
        }
        return Files.readAllLines(MOUNTS).stream()
                .map(line -> line.split(" "))
                .filter(mount -> mount[0].startsWith(NAME))
                .filter(mount -> isGone(mount[0].substring(NAME.length())))
                .map(mount -> Path.of(mount[1]))
                .toList();
    }

    private static boolean isGone(String pid) {
        return pid.matches("[0-9]{1,18}")
                && ProcessHandle.of(Long.parseLong(pid)).isEmpty();
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // the command does not exist
        }
    }

    Path folder() {
        return folder;
    }

    /** Whether this is a mounted file system, which can be filled. */
    boolean canBeFilled() {
        return mounted;
    }

    /** Fills the file system, including space that nodes free during the call. */
    void fill() throws IOException {
        boolean full = false;
        for (int left = TRIES; !full; left--) {
            full = isFilled(left == 0);
        }
    }

    private boolean isFilled(boolean last) throws IOException {
        byte[] chunk = new byte[CHUNK];
        try (OutputStream out = Files.newOutputStream(folder.resolve(FILLING))) {
            while (true) {
                out.write(chunk);
            }
        } catch (IOException e) {
            boolean full = folder.toFile().getUsableSpace() <= CHUNK;
            if (last && !full) {
                throw e;
            }
            return full;
        }
    }

    /** Frees the space again. */
    void empty() throws IOException {
        Files.deleteIfExists(folder.resolve(FILLING));
    }

    /**
     * Damages the newest snapshot of some node: flips a bit or truncates the file. Requires two snapshots that every
     * node has: a cluster without a valid snapshot rightly refuses to continue.
     *
     * @param random chooses
     * @return the damaged file, or empty
     */
    Optional<Path> damage(Random random) throws IOException {
        List<Path> nodes = entries(folder).stream().filter(Files::isDirectory).toList();
        List<Path> names = nodes.isEmpty() ? List.of() : ofAll(nodes);
        if (names.size() < 2) {
            return Optional.empty();
        }
        Path file = nodes.get(random.nextInt(nodes.size())).resolve(names.getLast());
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long position = random.nextLong(channel.size());
            if (random.nextBoolean()) {
                channel.truncate(position);
            } else {
                ByteBuffer one = ByteBuffer.allocate(1);
                channel.read(one, position);
                one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(Byte.SIZE)));
                channel.write(one.rewind(), position);
            }
        } catch (NoSuchFileException e) {
            return Optional.empty(); // a newer snapshot has just replaced this one
        }
        return Optional.of(folder.relativize(file));
    }

    /** Names of the snapshots that every node has, oldest first. */
    private static List<Path> ofAll(List<Path> nodes) throws IOException {
        List<Path> names = new ArrayList<>(snapshots(nodes.getFirst()));
        for (Path node : nodes) {
            names.retainAll(snapshots(node));
        }
        return names;
    }

    private static List<Path> snapshots(Path node) throws IOException {
        return entries(node).stream()
                .map(Path::getFileName)
                .filter(name -> name.toString().endsWith(SUFFIX))
                .toList();
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }

    /** Removes the snapshots. */
    void clear() throws IOException {
        deleteIn(folder);
    }

    private static void deleteIn(Path folder) throws IOException {
        for (Path entry : entries(folder)) {
            if (Files.isDirectory(entry)) {
                deleteIn(entry);
            }
            Files.delete(entry);
        }
    }

    /** Unmounts lazily, because nodes may still write and end a little later. */
    private void unmount() {
        try {
            if (mounted) {
                run("umount", "--lazy", folder.toString());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        clear();
        unmount();
        Files.deleteIfExists(folder);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // the JVM is shutting down, and the hook finds nothing to do
        }
    }
}
