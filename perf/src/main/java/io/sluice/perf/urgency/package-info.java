/**
 * How long an urgent slice takes past megabytes of others that wait for a slow link: by order of priority, and as it
 * comes (P3, section 5).
 */
package io.sluice.perf.urgency;
