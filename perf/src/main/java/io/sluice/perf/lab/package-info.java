/**
 * The network lab: hosts as network namespaces of this machine, joined by links of stated rates that change or break
 * while a job runs. Linux and root only; docs/lab.md has the design.
 *
 * <p>Begin with {@link io.sluice.perf.lab.Lab}. All rates are bits per second of Ethernet frames, without preamble
 * and checksum, and all bytes those of the same frames. Nothing here is allowed on a hot path: each change of a link
 * starts a process.
 */
package io.sluice.perf.lab;
