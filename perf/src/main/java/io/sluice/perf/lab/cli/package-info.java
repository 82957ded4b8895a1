/** The command line of the network lab: {@code sluice lab}. */
package io.sluice.perf.lab.cli;
