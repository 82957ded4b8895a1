package io.sluice.messaging.spi;

import io.sluice.codecs.api.NamedProvider;

/**
 * A kind of order that configurations can name. Sluice has some; others are found on the class path by
 * {@link java.util.ServiceLoader}: put the class's name into
 * {@code META-INF/services/io.sluice.messaging.spi.SliceOrderProvider} on <em>every</em> node, give it a constructor
 * without arguments, and name it like the others.
 */
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
