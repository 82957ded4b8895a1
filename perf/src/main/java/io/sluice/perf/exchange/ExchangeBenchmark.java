package io.sluice.perf.exchange;

import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.Driver;
import io.sluice.perf.report.BusyThreads;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;

/**
 * Prints the time of one clock, {@code sync}, {@code update} and {@code clock}, over the whole path: filter, frame,
 * shared memory, sum at the server, filter, broadcast, and into the replica.
 *
 * <p>Under BSP the {@code sync} of a clock waits for the broadcast of the clock before, so that a clock's time is that
 * of a full round; the loop is closed, as training is: nobody waits for a clock that should have begun. The trainers
 * compute nothing, so nothing hides behind computation. Bytes are those in the Aeron log, headers and alignment
 * included, per worker and clock and averaged over warm-up and all.
 *
 * <p>System properties: {@code sluice.perf.exchange.workers} (default {@code 1,2}), {@code .kept} ({@code
 * 0.001,0.2,1}), {@code .floats} (1,000,000), {@code .warmup} (200 clocks) and {@code .clocks} (500). All combinations
 * run in one JVM, one after the other, behind a first one that is not printed and warms the code up; name only one to
 * have it in a JVM of its own.
 */
public final class ExchangeBenchmark {
    private static final String PREFIX = "sluice.perf.exchange.";
    private static final double NS_PER_US = 1e3;

    private ExchangeBenchmark() {}

    /**
     * Runs all combinations asked for.
     *
     * @param args none
     * @throws ExecutionException if a server or worker failed
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws ExecutionException, InterruptedException {
        int[] workers = Arrays.stream(property("workers", "1,2"))
                .mapToInt(Integer::parseInt)
                .toArray();
        double[] kept = Arrays.stream(property("kept", "0.001,0.2,1"))
                .mapToDouble(Double::parseDouble)
                .toArray();
        int floats = Integer.getInteger(PREFIX + "floats", 1_000_000);
        int warmup = Integer.getInteger(PREFIX + "warmup", 200);
        int clocks = Integer.getInteger(PREFIX + "clocks", 500);
        System.out.printf(
                "%,d floats (%,d bytes), 1 server, IPC, BSP, kernels %s, %,d clocks after %,d of warm-up%n",
                floats, 4L * floats, Kernels.preferred().name(), clocks, warmup);
        for (int count : workers) {
            warnOfFewCores(count);
        }
        new Exchange(new ExchangeSettings(workers[0], floats, kept[0], warmup, clocks)).run();
        System.out.printf(
                "%7s %6s %10s %10s %10s %14s %14s%n",
                "workers", "kept", "p50 us", "p99 us", "max us", "pushed B", "broadcast B");
        for (int count : workers) {
            for (double share : kept) {
                print(new ExchangeSettings(count, floats, share, warmup, clocks));
            }
        }
    }

    private static void print(ExchangeSettings settings) throws ExecutionException, InterruptedException {
        ExchangeReport report = new Exchange(settings).run();
        System.out.printf(
                "%7d %6.3f %,10.0f %,10.0f %,10.0f %,14.0f %,14.0f%n",
                settings.workers(),
                report.keptShare(),
                report.clockNs().getValueAtPercentile(50) / NS_PER_US,
                report.clockNs().getValueAtPercentile(99) / NS_PER_US,
                report.clockNs().getMaxValue() / NS_PER_US,
                report.pushedBytes(),
                report.broadcastBytes());
    }

    /** Counts the threads on the way of an update. */
    private static void warnOfFewCores(int workers) {
        BusyThreads.withDriver(
                        workers + " workers, the server and the driver", workers + 1, new Driver.Context().threading())
                .warning(Runtime.getRuntime().availableProcessors())
                .ifPresent(System.out::println);
    }

    private static String[] property(String name, String fallback) {
        return System.getProperty(PREFIX + name, fallback).split(",");
    }
}
