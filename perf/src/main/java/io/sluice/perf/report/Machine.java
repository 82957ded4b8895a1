package io.sluice.perf.report;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import jdk.incubator.vector.FloatVector;

/**
 * The machine of a measurement.
 *
 * @param cores cores that this process may use
 * @param othersLoad number of processors that other processes use; negative if unknown
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Machine(
        String processor, int cores, int vectorBits, long memoryBytes, String os, String jvm, double othersLoad) {
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");
    private static final double GIB = 1 << 30;
    private static final long LOAD_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The load from which on figures are marked: half a processor. */
    private static final double LOADED = 0.5;

    /** Describes this machine as it is now; takes half a second. */
    public static Machine current() {
        OperatingSystemMXBean system = system();
        return new Machine(
                processorName(),
                system.getAvailableProcessors(),
                preferredVectorBits(),
                system.getTotalMemorySize(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                measureOthersLoad());
    }

    /** Number of bytes of memory that no process uses, or that the system can reclaim. */
    public static long freeMemory() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.filter(line -> line.startsWith("MemAvailable:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElseGet(() -> system().getFreeMemorySize());
        } catch (IOException notLinux) {
            return system().getFreeMemorySize();
        }
    }

    /** Number of bits of the registers the JVM prefers. */
    public static int preferredVectorBits() {
        return FloatVector.SPECIES_PREFERRED.vectorBitSize();
    }

    /**
     * Number of processors that other processes use during half a second; negative if unknown. The system's load
     * average would contain the threads of a measurement that ended a minute ago.
     */
    public static double measureOthersLoad() {
        OperatingSystemMXBean system = system();
        system.getCpuLoad(); // each call measures since the call before
        system.getProcessCpuLoad();
        long startNs = System.nanoTime();
        for (long restNs = LOAD_NS; restNs > 0; restNs = startNs + LOAD_NS - System.nanoTime()) {
            LockSupport.parkNanos(restNs);
        }
        double all = system.getCpuLoad();
        double own = system.getProcessCpuLoad();
        return all < 0 || own < 0 ? -1 : Math.max(0, all - own) * system.getAvailableProcessors();
    }

    /** Whether other processes also use the cores. */
    public boolean isLoaded() {
        return othersLoad > LOADED;
    }

    /** One line for people. */
    public String sentence() {
        return String.format(
                "%s, %d cores, %d-bit vectors, %.0f GiB; %s; %s; %.2f cores in use by others",
                processor, cores, vectorBits, memoryBytes / GIB, os, jvm, othersLoad);
    }

    private static OperatingSystemMXBean system() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    }

    private static String processorName() {
        try (Stream<String> lines = Files.lines(CPUINFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException notLinux) {
            return System.getProperty("os.arch");
        }
    }
}
