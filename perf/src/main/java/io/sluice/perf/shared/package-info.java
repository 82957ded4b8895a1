/** A job on links with cross traffic: fixed thresholds against those that adapt to the network. */
package io.sluice.perf.shared;
