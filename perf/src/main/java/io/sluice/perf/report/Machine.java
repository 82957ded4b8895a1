package io.sluice.perf.report;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import jdk.incubator.vector.FloatVector;

/**
 * The machine of a measurement.
 *
 * @param cores cores that this process may use
 * @param load runnable threads of the machine, averaged over the minute before the measurement; negative if unknown
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Machine(
        String processor, int cores, int vectorBits, long memoryBytes, String os, String jvm, double load) {
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");
    private static final double GIB = 1 << 30;

    /** Describes this machine as it is now. */
    public static Machine current() {
        OperatingSystemMXBean system = system();
        return new Machine(
                processorName(),
                system.getAvailableProcessors(),
                preferredVectorBits(),
                system.getTotalMemorySize(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                system.getSystemLoadAverage());
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

    /** Runnable threads of the machine, averaged over the last minute; negative if unknown. */
    public static double loadAverage() {
        return system().getSystemLoadAverage();
    }

    /** Whether other processes also use the cores. */
    public boolean isLoaded() {
        return load > cores;
    }

    /** One line for people. */
    public String sentence() {
        return String.format(
                "%s, %d cores, %d-bit vectors, %.0f GiB; %s; %s; load %.2f",
                processor, cores, vectorBits, memoryBytes / GIB, os, jvm, load);
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
