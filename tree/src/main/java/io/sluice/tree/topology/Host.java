package io.sluice.tree.topology;

/**
 * A machine with one link to its edge switch.
 *
 * @param name     name, unique among hosts
 * @param edge     number of its edge switch
 * @param uplink   bytes per second that it can send
 * @param downlink bytes per second that it can receive
 */
public record Host(String name, int edge, double uplink, double downlink) {}
