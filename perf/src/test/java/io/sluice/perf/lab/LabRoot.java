package io.sluice.perf.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.perf.UnavailableException;

/** Whether labs can be built here. */
final class LabRoot {
    private LabRoot() {}

    /** Skips the test, with the reason, where none can. */
    static void assume() {
        try {
            LabRemains.require();
            Lab.build(new LabPlan().hosts(1)).close();
        } catch (UnavailableException e) {
            assumeTrue(false, e.getMessage());
        }
    }
}
