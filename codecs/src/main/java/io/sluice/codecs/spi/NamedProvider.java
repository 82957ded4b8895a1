package io.sluice.codecs.spi;

/**
 * A policy that the terms of a cluster can name, such as a filter, an order, a tree planner or an update rule. Sluice
 * has some; others are found on the class path by {@link java.util.ServiceLoader}. To add one, implement the interface
 * of its kind, give the class a constructor without arguments, and put its name into {@code
 * META-INF/services/<interface>} on <em>every</em> node. One instance serves all threads, perhaps at once.
 *
 * @param <T> the interface that policies of this kind implement
 */
public interface NamedProvider<T> {
    /**
     * The name of the policy, which begins its specification: {@code fixed} in {@code fixed:0.1}. It consists of
     * lower-case letters, digits and hyphens.
     */
    String configName();

    /** The form of a specification, and what its parts must be, for messages: {@code fixed:D with D of 0 or more}. */
    String form();

    /**
     * Creates the policy.
     *
     * @param spec specification that begins with this provider's name
     * @return the policy; a new one for each call if it has state
     * @throws IllegalArgumentException naming the fault; {@link PolicySpec} makes the message
     */
    T create(PolicySpec spec);
}
