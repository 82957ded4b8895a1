package io.sluice.messaging.spi;

import io.sluice.codecs.api.NamedProvider;

/** A kind of order that the terms of a cluster can name. */
public interface SliceOrderProvider extends NamedProvider {
    /**
     * Makes an order.
     *
     * @param argument what follows the colon; empty if there is none
     * @return a new order, for one thread
     * @throws IllegalArgumentException with a clause that says what is wrong with the argument
     */
    SliceOrder create(String argument);
}
