/** {@code sluice perf bandwidth}: what the estimators of {@code messaging} say of links of known rate. */
package io.sluice.perf.bandwidth;
