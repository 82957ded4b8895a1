/**
 * Clusters on the hosts of a network lab, for measuring: a media driver on each host, nodes as threads inside hosts,
 * and what a trial costs in processor time and bytes on links.
 */
package io.sluice.perf.cluster;
