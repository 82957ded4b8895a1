/**
 * The speed of filtering and applying updates, compared with the speed that memory allows: the command
 * {@code sluice perf filter}.
 *
 * <p>All variants walk over tables that no cache holds (64 MiB of f32 by default), in slices of 16,320 elements, and
 * give their rate in elements, so that every rate can be divided by that of the axpy loop of the same run.
 */
package io.sluice.perf.filter;
