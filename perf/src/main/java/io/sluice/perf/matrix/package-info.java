/** One job under many combinations of policies. */
package io.sluice.perf.matrix;
