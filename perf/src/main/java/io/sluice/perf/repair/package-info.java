/** {@code sluice perf repair}: how long workers go without broadcasts when a worker dies that passes them on. */
package io.sluice.perf.repair;
