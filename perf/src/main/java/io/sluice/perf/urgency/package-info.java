/**
 * How long an urgent slice takes to overtake megabytes of others that wait for a slow link: by priority, and in order
 * of arrival (P3, section 5).
 */
package io.sluice.perf.urgency;
