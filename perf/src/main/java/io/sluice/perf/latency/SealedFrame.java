package io.sluice.perf.latency;

import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.perf.codecs.FrameLog;

/** A dense data frame, and the keys with which it is sealed and opened. For one thread. */
final class SealedFrame {
    static final long CLUSTER = 1;
    private static final int NODE = 0;
    private static final long NONCE = 1;

    /** Keys of a known secret, since the frames protect no data. */
    private static final KeySchedule KEYS = new KeySchedule(ClusterSecret.of(new byte[32]));

    final FrameBuffer frame;
    final int length;

    /** Creates a frame of {@link Frame#DATA_LENGTH} bytes plus a multiple of 4. */
    SealedFrame(int length) {
        this.length = length;
        frame = FrameLog.dense(length, new DataHeader().clusterId(CLUSTER).origin(NODE));
    }

    static SenderSeals newSeals() {
        return new SenderSeals(KEYS.sender(CLUSTER, 0, NODE, NONCE));
    }

    /** Finishes the frame once more, which takes as long as the first time. */
    int finish(FrameSeal seal) {
        return seal.finish(frame.buffer(), 0, length);
    }

    static FrameOpener newOpener(int longest) {
        FrameOpener opener = new FrameOpener(KEYS, CLUSTER, NODE, longest);
        opener.admit(NODE, 0, NONCE);
        return opener;
    }
}
