package io.sluice.consistency.spi;

import io.sluice.codecs.api.NamedProvider;
import io.sluice.codecs.api.PolicySpec;

/** A kind of update rule that the terms of a cluster can name. */
public interface UpdateRuleProvider extends NamedProvider {
    /**
     * Makes the rule.
     *
     * @param spec specification that begins with this provider's word
     * @return the rule
     * @throws IllegalArgumentException naming what is wrong; {@link PolicySpec} has the words for it
     */
    UpdateRule create(PolicySpec spec);
}
