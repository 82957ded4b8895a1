/** {@code sluice perf bandwidth}: estimators of {@code messaging} on links of known rate. */
package io.sluice.perf.bandwidth;
