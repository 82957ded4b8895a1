/** What {@code sluice stat} shows of the counters at a media driver: as tables, as JSON, to Prometheus. */
package io.sluice.cli.stat;
