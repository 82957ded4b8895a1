/** The {@code sluice} command line: {@link io.sluice.cli.Sluice} lists its commands. */
package io.sluice.cli;
