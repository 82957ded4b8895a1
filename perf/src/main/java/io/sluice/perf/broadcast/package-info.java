/**
 * {@code sluice perf broadcast}: how long servers take to have every worker know what they have to say, over lab links
 * of a stated rate, by each way to send it.
 */
package io.sluice.perf.broadcast;
