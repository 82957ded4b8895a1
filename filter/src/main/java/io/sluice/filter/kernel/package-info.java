/**
 * The loops over elements, each written twice: on the Vector API and in plain Java, with the same bits as a result.
 *
 * <p>Kernels take absolute addresses of native memory and check nothing: the caller has checked lengths, counts and
 * columns, once. The cost of checks is not the only reason. A kernel with a {@link java.lang.foreign.MemorySegment}
 * parameter shares the type profiles inside the JDK with every other user of segments in the process; as soon as one of
 * those is on the heap, the compiler fences each access of the kernel, which gets two to ten times slower. All accesses
 * here go through one constant, {@link io.sluice.codecs.OffHeap#ALL}, whose class the compiler knows.
 *
 * <p>For the same reason loops are written out where a shared method would do: a method that takes or returns vectors
 * and is not inlined allocates each vector. The flags in {@code jvm.args} force those of {@link Registers} and {@link
 * LaneTables} to be inlined: otherwise the compiler leaves out a method that it has compiled alone before.
 *
 * <p>Memory is little endian, at any alignment. Kernels hold no state, may be shared by threads, and allocate nothing
 * once compiled.
 */
package io.sluice.filter.kernel;
