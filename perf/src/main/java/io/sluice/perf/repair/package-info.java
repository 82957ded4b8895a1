/** {@code sluice perf run repair}: how long workers receive no broadcasts after the death of a relay. */
package io.sluice.perf.repair;
