package io.sluice.filter.spi;

import io.sluice.codecs.api.NamedProvider;
import io.sluice.codecs.api.PolicySpec;

/**
 * A kind of policy that configurations can name. Sluice has some; others are found on the class path by
 * {@link java.util.ServiceLoader}: put the class's name into
 * {@code META-INF/services/io.sluice.filter.spi.FilterPolicyProvider} on <em>every</em> node, give it a constructor
 * without arguments, and name it like the others.
 */
public interface FilterPolicyProvider extends NamedProvider {
    /**
     * Makes the policy.
     *
     * @param spec specification that begins with this provider's word
     * @return the policy
     * @throws IllegalArgumentException naming what is wrong; {@link PolicySpec} has the words for it
     */
    FilterPolicy create(PolicySpec spec);
}
