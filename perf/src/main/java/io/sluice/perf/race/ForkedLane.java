package io.sluice.perf.race;

import io.sluice.perf.JvmFlags;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The contestants of a group in a JVM of their own. The child waits for the next command on its standard input, and
 * ends when that closes: no child outlives this process, however that ends.
 */
final class ForkedLane implements Lane {
    private static final long HEAP_BASE_MIB = 128;
    private static final int MIB_BITS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final String name;
    private final Process process;
    private final ObjectOutputStream toChild;
    private final DataInputStream fromChild;
    private final Thread errorReader;
    private volatile String lastError = "it said nothing";

    ForkedLane(List<? extends Entrant> entrants, Pace pace) throws IOException {
        name = entrants.getFirst().group();
        process = new ProcessBuilder(command(entrants)).start();
        errorReader = Thread.ofPlatform().daemon().name(name + " err").start(this::readErrors);
        fromChild = new DataInputStream(new BufferedInputStream(process.getInputStream()));
        toChild = new ObjectOutputStream(process.getOutputStream());
        toChild.writeObject(new ArrayList<>(entrants));
        toChild.writeObject(pace);
        toChild.flush();
    }

    private static List<String> command(List<? extends Entrant> entrants) {
        long tables = entrants.stream().mapToLong(Entrant::memory).sum();
        // The tables may be on the heap, and a copy of one while another is made.
        List<String> command = JvmFlags.node(HEAP_BASE_MIB + 2 * (tables >> MIB_BITS));
        // A loop waits for its compiler: on a loaded machine a warm-up of any length may end before that has come.
        command.add("-Xbatch");
        command.addAll(entrants.getFirst().jvmOptions());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ForkedContestants.class.getName()));
        return command;
    }

    @Override
    public void warmUp(int place) {
        ask(ForkedContestants.WARM_UP, place);
    }

    @Override
    public Turn turn(int place) {
        return ask(ForkedContestants.TURN, place);
    }

    private Turn ask(byte command, int place) {
        try {
            toChild.writeByte(command);
            toChild.writeInt(place);
            toChild.flush();
            return ForkedContestants.read(fromChild);
        } catch (IOException e) {
            throw new IllegalStateException("the JVM of " + name + " has ended: " + errors(), e);
        }
    }

    private String errors() {
        try {
            errorReader.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return lastError;
    }

    /** Keeps the first line of what it says, but for what every JVM with an incubator module says. */
    private void readErrors() {
        try (BufferedReader errors = process.errorReader()) {
            errors.lines()
                    .filter(line -> !line.startsWith("WARNING: "))
                    .reduce((first, _) -> first)
                    .ifPresent(line -> lastError = line);
        } catch (IOException | UncheckedIOException e) {
            lastError = "its standard error broke: " + e.getMessage();
        }
    }

    @Override
    public void close() {
        try {
            toChild.close();
            process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException gone) {
            // It has ended already.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroy();
    }
}
