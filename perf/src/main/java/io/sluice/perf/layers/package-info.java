/**
 * {@code sluice perf layers}: P3's experiment (Jayarajan et al. 2019) trains models whose layers only take time, over
 * lab links of stated rates.
 */
package io.sluice.perf.layers;
