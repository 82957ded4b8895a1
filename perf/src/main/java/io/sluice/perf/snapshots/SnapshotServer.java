package io.sluice.perf.snapshots;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import java.nio.file.Path;

/** A server in a process of its own, to be killed. */
public final class SnapshotServer {
    /** A limit for buffers off the heap, too: what is kept for workers that miss it may take a gigabyte. */
    static final int HEAP_MB = 4_096;

    private SnapshotServer() {}

    /**
     * Serves until the cluster ends.
     *
     * @param args the cluster's address, the media driver's directory, the server's index and the snapshots' folder
     */
    public static void main(String[] args) {
        ServerContext context = new ServerContext()
                .cluster(args[0])
                .aeronDirectory(Path.of(args[1]))
                .index(Integer.parseInt(args[2]))
                .snapshots(Path.of(args[3]));
        try (Server server = Server.launch(context)) {
            server.run();
        }
    }
}
