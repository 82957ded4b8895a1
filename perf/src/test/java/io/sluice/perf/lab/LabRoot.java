package io.sluice.perf.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.console.UnavailableException;

/** Whether namespaces can be made here; a later failure is no reason to skip a test. */
public final class LabRoot {
    private LabRoot() {}

    /** Skips the test, with the reason, where none can. */
    public static void assume() {
        try {
            NetworkNamespaces.require();
            String probe = LabName.next().hub();
            NetworkNamespaces.add(probe);
            NetworkNamespaces.delete(probe);
        } catch (UnavailableException e) {
            assumeTrue(false, e.getMessage());
        }
    }
}
