package io.sluice.messaging.spi;

import io.sluice.codecs.spi.NamedProvider;

/**
 * A kind of order that the terms of a cluster can name; each order that it makes is for one thread. It takes one
 * argument at most, because commas separate orders.
 */
public interface SliceOrderProvider extends NamedProvider<SliceOrder> {}
