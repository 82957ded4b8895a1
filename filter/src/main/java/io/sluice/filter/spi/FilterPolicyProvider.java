package io.sluice.filter.spi;

import io.sluice.codecs.api.NamedProvider;
import io.sluice.codecs.api.PolicySpec;

/** A kind of filter policy that the terms of a cluster can name. */
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
