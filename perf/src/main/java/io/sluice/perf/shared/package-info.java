/** A job on links with cross traffic: it compares fixed thresholds with thresholds that adapt to the network. */
package io.sluice.perf.shared;
