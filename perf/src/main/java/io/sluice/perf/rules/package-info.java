/** How update rules converge. */
package io.sluice.perf.rules;
