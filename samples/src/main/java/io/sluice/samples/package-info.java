/** The {@code sluice} command line: {@link io.sluice.samples.Sluice} is the map of it. */
package io.sluice.samples;
