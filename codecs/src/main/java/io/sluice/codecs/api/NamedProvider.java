package io.sluice.codecs.api;

/**
 * A kind of policy that the terms of a cluster can name: a filter, an order, a tree planner, an update rule. Sluice has
 * some; others are found on the class path by {@link java.util.ServiceLoader}. To add one, implement the interface of
 * its kind, give the class a constructor without arguments, and put its name into
 * {@code META-INF/services/<interface>} on <em>every</em> node.
 */
public interface NamedProvider {
    /** The word before the colon: lower-case letters, digits and hyphens. */
    String configName();

    /** The form of a specification, and what its parts must be, for messages: {@code fixed:D with D of 0 or more}. */
    String form();
}
