package io.sluice.perf.nodes;

import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;

/**
 * What the process of a node does: it carries out orders, line by line. It answers each line with one of its own, and
 * ends when its standard input does, also in the middle of an order.
 */
public final class NodeLoop {
    /** First word of a process that is ready for orders, where it needs time for that. */
    public static final String READY = "ready";

    /** First word of the answer to an order that was carried out. */
    public static final String DONE = "done";

    /** First word of the answer to one that failed. */
    static final String FAILED = "failed";

    /** Carries out orders. */
    @FunctionalInterface
    public interface Orders {
        /**
         * Carries out one.
         *
         * @param words of the order
         * @return words behind {@link #DONE}
         * @throws Exception that is answered with {@link #FAILED} and its message
         */
        String carryOut(String[] words) throws Exception;
    }

    private NodeLoop() {}

    /** Numbers as one word of an answer. */
    public static String word(double... numbers) {
        return Arrays.stream(numbers).mapToObj(Double::toString).collect(Collectors.joining(","));
    }

    /** The numbers of a {@link #word}. */
    public static double[] numbers(String word) {
        return Arrays.stream(word.split(",")).mapToDouble(Double::parseDouble).toArray();
    }

    /**
     * Runs until standard input ends, and the process with it.
     *
     * @param orders what it can do
     * @throws InterruptedException if interrupted while waiting for an order
     */
    public static void run(Orders orders) throws InterruptedException {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread.ofPlatform().daemon().name("orders").start(() -> read(lines));
        while (true) {
            System.out.println(answer(orders, lines.take()));
        }
    }

    /**
     * Runs a media driver, says {@link #READY}, and runs until standard input ends.
     *
     * @param directory for the media driver
     * @param channels  of that driver
     * @param orders    what it can do
     * @throws InterruptedException if interrupted while waiting for an order
     */
    public static void run(Path directory, Channels.Context channels, Orders orders) throws InterruptedException {
        Driver.Context context = new Driver.Context().directory(directory).channels(channels);
        try (Driver driver = Driver.launch(context.closeOnShutdown(true))) {
            driver.warnings().forEach(warning -> System.err.println("sluice: " + warning));
            System.out.println(READY);
            run(orders);
        }
    }

    private static void read(BlockingQueue<String> lines) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.lines().forEach(lines::add);
        } catch (IOException e) {
            // As good as an end.
        }
        System.exit(0);
    }

    private static String answer(Orders orders, String line) {
        try {
            return DONE + " " + orders.carryOut(line.split(" "));
        } catch (Exception e) {
            String sentence = e.getMessage() == null ? e.toString() : e.getMessage();
            return FAILED + " " + sentence.replace('\n', ' ');
        }
    }
}
