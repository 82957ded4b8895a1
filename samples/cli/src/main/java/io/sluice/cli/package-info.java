/** The {@code sluice} command line: {@link io.sluice.cli.Sluice} is the map of it. */
package io.sluice.cli;
