/**
 * Derives feedback for filters from the measured rates of links: whether they are sufficient, and the bytes for each
 * clock.
 */
package io.sluice.consistency.feedback;
