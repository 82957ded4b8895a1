/** The display of {@code sluice stat} for the counters of a media driver: as tables, as JSON, for Prometheus. */
package io.sluice.cli.stat;
