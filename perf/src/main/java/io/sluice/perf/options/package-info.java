/** Options that the measuring commands share. */
package io.sluice.perf.options;
