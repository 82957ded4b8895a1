/** A job on links that it shares with others: fixed thresholds beside those that follow the network. */
package io.sluice.perf.shared;
