package io.sluice.filter.kernel;

import jdk.incubator.vector.FloatVector;

/**
 * A set of kernels: the fastest that this JVM can run, or the one that a property names.
 *
 * @param name name for reports: {@code "scalar"}, or {@code "vector x"} and the lanes of a register
 * @param split splits an update into elements to send and a residual, in one pass over memory
 * @param add adds blocks to a sum or a replica
 * @param indices converts columns of indices
 * @param values converts columns of values
 * @param levels computes the levels of quantisers, and packs and unpacks columns of them
 * @param outer adds outer products of vectors to a matrix
 */
public record Kernels(
        String name,
        ThresholdKernel split,
        AddKernel add,
        IndicesKernel indices,
        ValuesKernel values,
        LevelsKernel levels,
        OuterKernel outer) {
    /** System property that chooses the twin: {@code vector}, {@code scalar}, or {@code auto}. */
    public static final String PROPERTY = "sluice.kernels";

    /**
     * System property for the width of a vector register in bits: 128, 256, 512, or the width that the processor
     * prefers.
     */
    public static final String WIDTH_PROPERTY = "sluice.vector.bits";

    private static final String MODULE = "jdk.incubator.vector";

    /** Prints the warning, once for each process. */
    private static final class Missing {
        static {
            System.getLogger(Kernels.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "no vectors of 128 bits or more, or the JVM runs without --add-modules=" + MODULE
                                    + ": filtering on plain Java kernels, which are several times slower");
        }

        static Kernels scalarInstead() {
            return scalar();
        }
    }

    /**
     * The fastest kernels this JVM can run: on the Vector API if the module {@code jdk.incubator.vector} is present,
     * otherwise in plain Java, with one warning. The system property {@link #PROPERTY} overrides the choice.
     * Callers report {@link #name()}.
     *
     * @return the kernels
     * @throws IllegalArgumentException if a property has any other value
     * @throws IllegalStateException if a property selects {@code vector} and the module is missing
     */
    public static Kernels preferred() {
        String wanted = System.getProperty(PROPERTY, "auto");
        return switch (wanted) {
            case "auto" -> hasVectors() && Vectorised.isWideEnough() ? vector() : Missing.scalarInstead();
            case "scalar" -> scalar();
            case "vector" -> vector();
            default -> throw new IllegalArgumentException(PROPERTY + " must be auto, vector or scalar: " + wanted);
        };
    }

    /**
     * The kernels on the Vector API.
     *
     * @return the kernels
     * @throws IllegalStateException if the module {@code jdk.incubator.vector} is missing
     * @throws IllegalArgumentException if {@link #WIDTH_PROPERTY} is not a width
     */
    public static Kernels vector() {
        if (!hasVectors()) {
            throw new IllegalStateException("vector kernels need the JVM option --add-modules=" + MODULE);
        }
        requireWidth(System.getProperty(WIDTH_PROPERTY));
        return Vectorised.kernels();
    }

    /** The kernels in plain Java. */
    public static Kernels scalar() {
        return new Kernels(
                "scalar",
                new ScalarSplit(),
                new ScalarAdd(),
                new ScalarIndices(),
                new ScalarValues(),
                new ScalarLevels(),
                new ScalarOuter());
    }

    private static boolean hasVectors() {
        return ModuleLayer.boot().findModule(MODULE).isPresent();
    }

    private static void requireWidth(String bits) {
        if (bits != null && !bits.equals("128") && !bits.equals("256") && !bits.equals("512")) {
            throw new IllegalArgumentException(WIDTH_PROPERTY + " must be 128, 256 or 512: " + bits);
        }
    }

    /** The only class that refers to the classes that a JVM without the module cannot load. */
    private static final class Vectorised {
        /** Registers of 64 bits, which some processors have or JVM options set, are too narrow for these kernels. */
        static boolean isWideEnough() {
            return FloatVector.SPECIES_PREFERRED.vectorBitSize() >= 128;
        }

        static Kernels kernels() {
            return new Kernels(
                    "vector x" + Registers.LANES,
                    new VectorSplit(),
                    new VectorAdd(),
                    new VectorIndices(),
                    new VectorValues(),
                    new VectorLevels(),
                    new VectorOuter());
        }
    }
}
