package io.sluice.perf.snapshots;

import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import java.nio.file.Path;

/** Media drivers for one cluster each, so that no counter is of another. */
final class SnapshotDriver {
    private static final int LINKS = 16;
    private static final long LOG_RESERVE = 64L << 20;

    private SnapshotDriver() {}

    /** Launches one in a folder of this process's own. */
    static Driver launch() {
        Driver.Context context = new Driver.Context();
        long log = 3L * new Channels().context().ipcTermLength();
        Path own = context.directory()
                .resolveSibling("sluice-snapshots-" + ProcessHandle.current().pid());
        return Driver.launch(
                context.directory(own).expectedBytes(LINKS * log + LOG_RESERVE).closeOnShutdown(true));
    }
}
