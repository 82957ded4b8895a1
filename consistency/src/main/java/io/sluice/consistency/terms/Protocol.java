package io.sluice.consistency.terms;

import io.sluice.messaging.Settings;

/** What workers and servers send each other. */
public enum Protocol {
    /** Workers push filtered updates, servers broadcast filtered sums, replicas apply them (Parameter Flow, eq. 4). */
    UPDATE,

    /** Workers push dense gradients and pull dense parameters: the classic parameter server, kept as the baseline. */
    PUSH_PULL,

    /**
     * Like {@link #UPDATE}, but while a budget is unused before a clock ends, nodes send the most significant slices of
     * the sum so far early (managed communication: Boesen, section 3.3). Sums are in order of arrival, even under BSP.
     * So replicas at one version are equal on all workers, but not reproducible bit for bit.
     */
    MANAGED,

    /**
     * Workers send the vectors of factor tables to each other, and a round commit to every other worker; servers hold
     * nothing of these tables. All other tables are exchanged as with {@link #UPDATE}.
     */
    PEER;

    /** The name used in configuration: in lower case, with hyphens. */
    public String configName() {
        return Settings.configName(this);
    }
}
