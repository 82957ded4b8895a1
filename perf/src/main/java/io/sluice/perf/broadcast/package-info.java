/**
 * {@code sluice perf broadcast}: how long servers take to broadcast parameters to all workers, over lab links of a
 * stated rate, by each planner and by other systems.
 */
package io.sluice.perf.broadcast;
