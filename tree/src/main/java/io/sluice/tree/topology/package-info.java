/**
 * The network below a broadcast: hosts at edge switches, edge switches under aggregation switches, the rates of their
 * links, and what it costs to send between two hosts.
 */
package io.sluice.tree.topology;
