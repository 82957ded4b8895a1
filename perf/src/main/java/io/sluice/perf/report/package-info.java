/** Output of measurements: tables, JSON and plots. */
package io.sluice.perf.report;
