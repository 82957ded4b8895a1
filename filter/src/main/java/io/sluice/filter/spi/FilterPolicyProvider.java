package io.sluice.filter.spi;

/**
 * A kind of policy that configurations can name. Sluice has some; others are found on the class path by
 * {@link java.util.ServiceLoader}: put the class's name into
 * {@code META-INF/services/io.sluice.filter.spi.FilterPolicyProvider} on <em>every</em> node, give it a constructor
 * without arguments, and name it like the others.
 */
public interface FilterPolicyProvider {
    /** The word before the colon: lower-case letters, digits and hyphens. */
    String configName();

    /** The form of a specification, and what its parts must be, for messages: {@code fixed:D with D of 0 or more}. */
    String form();

    /**
     * Makes the policy.
     *
     * @param spec specification that begins with this provider's word
     * @return the policy
     * @throws IllegalArgumentException naming what is wrong; {@link FilterSpec} has the words for it
     */
    FilterPolicy create(FilterSpec spec);
}
