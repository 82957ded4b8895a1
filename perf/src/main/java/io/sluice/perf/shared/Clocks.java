package io.sluice.perf.shared;

import java.io.Serializable;

/**
 * The measurements of one worker, for each clock of a turn.
 *
 * @param seconds  seconds since the end of the previous clock
 * @param kept     density of its pushes
 * @param checksum checksum of its final replica
 */
record Clocks(double[] seconds, double[] kept, int checksum) implements Serializable {}
