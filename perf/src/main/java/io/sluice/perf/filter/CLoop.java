package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sluice.console.UnavailableException;
import io.sluice.perf.CompiledC;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The filter's pass in C with intrinsics for AVX2 or AVX-512: the same algorithm as a current C compiler compiles it.
 * {@code cc} compiles it when the benchmark is prepared. A call for a slice costs some nanoseconds.
 */
final class CLoop implements FilterSteps.Pass {
    private static final int LEAST_WIDTH = 256;

    /** A slice takes microseconds, so the JVM may call the loop without a transition of the thread's state. */
    private static final Linker.Option NO_TRANSITION = Linker.Option.critical(false);

    private final MethodHandle filter;

    /**
     * Compiles the loop.
     *
     * @throws UnavailableException if there is no such loop, or {@code cc} cannot compile it
     */
    @SuppressWarnings("restricted")
    CLoop(int widthBits) {
        if (widthBits < LEAST_WIDTH) {
            throw new UnavailableException("the C loop has registers of 256 and 512 bits, not " + widthBits);
        }
        try (CompiledC loop = CompiledC.compile(CLoop.class, "filter-loop.c", "cc", "-shared", "-fPIC")) {
            // The mapping outlives the file.
            SymbolLookup symbols = SymbolLookup.libraryLookup(loop.output(), Arena.global());
            filter = Linker.nativeLinker()
                    .downcallHandle(
                            symbols.findOrThrow("filter_" + widthBits),
                            FunctionDescriptor.of(
                                    JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_FLOAT, JAVA_LONG, JAVA_LONG),
                            NO_TRANSITION);
        } catch (IllegalArgumentException e) {
            throw new UnavailableException("the C loop cannot be loaded: " + e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException("the C loop cannot be compiled", e);
        }
    }

    @Override
    public int filter(long update, long residual, int elements, float threshold, long bitmap, long values) {
        try {
            return (int) filter.invokeExact(update, residual, elements, threshold, bitmap, values);
        } catch (Throwable e) {
            throw new IllegalStateException("the C loop failed", e);
        }
    }
}
