package io.sluice.consistency.membership;

import io.sluice.messaging.Settings;

/** The role of a node. */
public enum Role {
    /** Sums the pushes of its slices and broadcasts the sums. */
    SERVER,

    /** Trains the model: pushes updates to servers and applies their broadcasts. */
    WORKER;

    /** The name that messages, reports and folders use. */
    public String configName() {
        return Settings.configName(this);
    }
}
