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
 * Where snapshots are kept: a small file system in memory, if this user may mount one, or a plain folder. Snapshots on
 * it can be damaged, and a small one filled up.
 */
final class SnapshotDisk implements AutoCloseable {
    private static final int MIB = 64;
    private static final int CHUNK = 1 << 16;
    private static final int TRIES = 10;
    private static final String FILLING = "filling";
    private static final String SUFFIX = ".snapshot";
    private static final long PATIENCE_SECONDS = 10;

    /** With the id of the process that has mounted it. */
    private static final String NAME = "sluice-chaos-";

    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private final Path folder;
    private final boolean mounted;
    private final Thread hook;

    /** In a folder, which is made. Unmounts what trials have left that were killed. */
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

    /** Mounted by a process that is no more, as their names tell: one that lives may use its own. */
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
            return false; // there is no such command
        }
    }

    Path folder() {
        return folder;
    }

    /** Whether it is a file system of its own, which can be filled. */
    boolean canBeFilled() {
        return mounted;
    }

    /** Takes all room that is left, also what others free meanwhile. */
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

    /** Gives it back. */
    void empty() throws IOException {
        Files.deleteIfExists(folder.resolve(FILLING));
    }

    /**
     * Damages the newest snapshot of some node: changes a byte, or cuts its end off. Only where all nodes have an older
     * one, too: without any, a cluster rightly refuses to go on.
     *
     * @param random chooses
     * @return what was damaged, or nothing
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
            return Optional.empty(); // a newer one has taken its place this moment
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

    /** Also when nodes still write: they may end a little later. */
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
            return; // the JVM is going down, and the hook finds nothing left to do
        }
    }
}
