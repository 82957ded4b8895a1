/** Reads and increments of rows by several threads. */
package io.sluice.perf.rows;
