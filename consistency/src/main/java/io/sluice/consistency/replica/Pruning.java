package io.sluice.consistency.replica;

import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.status.RecordingPos;
import io.aeron.cluster.RecordingLog;
import java.util.List;

/**
 * Bounds the disk use of a coordinator. It keeps the engine's two newest snapshots, and the log from a while before the
 * older one. The engine reads the newest snapshot and the log after it; a member that was away needs the log since it
 * left, as far as that is kept.
 *
 * <p>Blocks the thread that calls it.
 */
final class Pruning {
    private static final int KEPT_RECORDS = 2;

    private final MemberFolder folder;
    private final AeronArchive.Context archive;
    private final LogLimits limits;

    /**
     * Creates a pruning that has no effect yet.
     *
     * @param folder  folder of this member
     * @param archive archive settings of a connection to the member's archive
     * @param limits  limits of the log
     */
    Pruning(MemberFolder folder, AeronArchive.Context archive, LogLimits limits) {
        this.folder = folder;
        this.archive = archive;
        this.limits = limits;
    }

    /**
     * Deletes all but the two newest complete snapshots, and shortens the log accordingly. A snapshot that the engine
     * is still writing is not one of the two.
     */
    void prune() {
        try (RecordingLog recordings = new RecordingLog(folder.consensus().toFile(), false);
                AeronArchive client = AeronArchive.connect(connection())) {
            List<RecordingLog.Entry> snapshots = recordings.entries().stream()
                    .filter(entry -> entry.isValid && RecordingLog.ENTRY_TYPE_SNAPSHOT == entry.type)
                    .toList();
            List<Long> positions = snapshots.stream()
                    .map(entry -> entry.logPosition)
                    .distinct()
                    .sorted()
                    .toList();
            if (positions.size() >= KEPT_RECORDS) {
                long oldest = positions.get(positions.size() - KEPT_RECORDS);
                snapshots.stream()
                        .filter(entry -> entry.logPosition < oldest)
                        .forEach(entry -> purge(client, entry.recordingId));
                shorten(client, recordings.findLastTermRecordingId(), oldest);
            }
        }
    }

    /** Creates the settings of a connection to the archive, whose client ends with the connection. */
    AeronArchive.Context connection() {
        return archive.clone()
                .aeron(Consensus.connect(archive.aeronDirectoryName(), archive.errorHandler()))
                .ownsAeronClient(true);
    }

    private static void purge(AeronArchive client, long recording) {
        boolean isThere = 1 == client.listRecording(recording, (_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _) -> {});
        if (isThere) {
            client.purgeRecording(recording);
        }
    }

    private void shorten(AeronArchive client, long log, long needed) {
        if (RecordingPos.NULL_RECORDING_ID == log) {
            return;
        }
        long start = client.getStartPosition(log);
        long kept = needed - (long) limits.segments() * limits.segmentLength();
        if (kept > start) {
            long base = AeronArchive.segmentFileBasePosition(start, kept, limits.termLength(), limits.segmentLength());
            if (base > start) {
                client.purgeSegments(log, base);
            }
        }
    }
}
