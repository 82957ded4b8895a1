package io.sluice.consistency.terms;

import io.sluice.messaging.Settings;

/** How nodes send frames to each other. */
public enum TransportKind {
    /** Shared memory between nodes of one host, UDP between hosts. */
    IPC,

    /** UDP between all nodes, those of one host included. */
    UDP;

    /** The name used in configuration: in lower case, with hyphens. */
    public String configName() {
        return Settings.configName(this);
    }
}
