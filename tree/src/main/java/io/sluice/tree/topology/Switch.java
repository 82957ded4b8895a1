package io.sluice.tree.topology;

/**
 * An edge or aggregation switch. Hosts below one reach each other without using its uplink.
 *
 * @param name     name, unique among the switches of its kind
 * @param above    number of the aggregation switch above an edge switch; -1 for an aggregation switch
 * @param uplink   bytes per second from below it to the rest of the network; infinite if nothing limits them
 * @param downlink bytes per second from the rest of the network to below it; infinite if nothing limits them
 */
public record Switch(String name, int above, double uplink, double downlink) {}
