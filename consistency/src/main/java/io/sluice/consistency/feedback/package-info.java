/** Derives feedback for filters from the measured rates of links: sufficient or not, and bytes for each clock. */
package io.sluice.consistency.feedback;
