package io.sluice.perf.nodes;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The main class of a node's JVM: it runs one task after another, each of which is a line of its standard input, and
 * answers each with a line. It ends with its standard input, even in the middle of a task.
 */
public final class NodeLoop {
    /** Prefix of the answer of a task. */
    static final String DONE = "done ";

    /** Prefix of the message of a failed task. */
    static final String FAILED = "failed ";

    private NodeLoop() {}

    /** Runs tasks until standard input ends, and the process with it. */
    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread.ofPlatform().daemon().name("orders").start(() -> read(lines));
        while (true) {
            System.out.println(answer(lines.take()));
        }
    }

    private static void read(BlockingQueue<String> lines) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.lines().forEach(lines::add);
        } catch (IOException e) {
            // Counts as the end of standard input.
        }
        System.exit(0);
    }

    private static String answer(String line) {
        try {
            return DONE + word(((NodeTask<?>) object(line)).run());
        } catch (Exception e) {
            String sentence = e.getMessage() == null ? e.toString() : e.getMessage();
            return FAILED + sentence.replace('\n', ' ');
        }
    }

    /** Encodes an object as one word of a line. */
    static String word(Object object) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        } catch (IOException e) {
            throw new IllegalArgumentException(object + " cannot be sent to another process: " + e.getMessage(), e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /** Decodes the object of a word. */
    static Object object(String word) throws IOException, ClassNotFoundException {
        return new ObjectInputStream(
                        new ByteArrayInputStream(Base64.getDecoder().decode(word)))
                .readObject();
    }
}
