package io.sluice.perf.shared;

import java.io.Serializable;

/**
 * What one worker saw, for each clock of a turn.
 *
 * @param seconds  from the end of the clock before
 * @param kept     share of elements that it pushed
 * @param checksum of its replica at the end
 */
record Clocks(double[] seconds, double[] kept, int checksum) implements Serializable {}
