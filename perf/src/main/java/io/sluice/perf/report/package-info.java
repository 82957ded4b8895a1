/** What a measurement says in the end: a table for people, JSON for programs, plots for papers. */
package io.sluice.perf.report;
