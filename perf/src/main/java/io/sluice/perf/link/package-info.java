/**
 * Compares links with raw Aeron, {@code sluice perf link}: throughput, round trips, and latencies at a fixed rate.
 *
 * <p>A {@link io.sluice.perf.link.LinkSpec} is one stack on one medium with one length of frames: a sending and a
 * receiving thread in a JVM of their own, over a media driver in the JVM of the command. Streams, frames, checks and
 * waiting are the same code for every stack; only the ends of {@link io.sluice.perf.link.TestBed} differ.
 */
package io.sluice.perf.link;
