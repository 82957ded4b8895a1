package io.sluice.consistency.membership;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.OpeningHandler;
import java.util.function.Consumer;

/**
 * How a welcomed node seals what it sends to its peers, and opens what they send: not at all, unless the cluster's
 * terms say so.
 *
 * <p>Seals may be asked for from any thread; each is for one.
 */
public final class Sealing {
    private static final Sealing NONE = new Sealing(null, null, ControlIds.NOBODY, null, new long[0]);

    private final KeySchedule schedule;
    private final ClusterPlan plan;
    private final int node;
    private final SenderSeals seals;
    private final long[] joinNonces;

    private Sealing(KeySchedule schedule, ClusterPlan plan, int node, SenderSeals seals, long[] joinNonces) {
        this.node = node;
        this.schedule = schedule;
        this.plan = plan;
        this.seals = seals;
        this.joinNonces = joinNonces;
    }

    /** That of a cluster whose frames are open. */
    static Sealing none() {
        return NONE;
    }

    /**
     * That of a cluster which seals its frames.
     *
     * @param schedule   of its secret
     * @param plan       which says so
     * @param node       this node
     * @param own        the seals of this node
     * @param joinNonces of all nodes, in order of id
     */
    static Sealing of(KeySchedule schedule, ClusterPlan plan, int node, SenderSeals own, long[] joinNonces) {
        return new Sealing(schedule, plan, node, own, joinNonces.clone());
    }

    /**
     * What finishes the frames of one thread.
     *
     * @return a seal, or what only adds the checksum
     */
    public FrameSeal newSeal() {
        return null == seals ? FrameSeal.checksumOnly() : seals.newSeal();
    }

    /**
     * What the frames of data streams must look like.
     *
     * @return the rule for validators
     */
    public SealRule rule() {
        return null == seals ? SealRule.OPEN : SealRule.SEALED;
    }

    /**
     * Bytes by which a seal makes frames longer.
     *
     * @return 0 if there is none
     */
    public int trailerLength() {
        return null == seals ? 0 : SealTrailer.LENGTH;
    }

    /**
     * What opens frames of all nodes.
     *
     * @return an opener for one thread, or null if frames are open
     */
    public FrameOpener newOpener() {
        if (null == seals) {
            return null;
        }
        int longest = Frame.DATA_LENGTH + BlockFormat.maxLength(plan.settings().sliceElements());
        FrameOpener opener = new FrameOpener(schedule, plan.clusterId(), node, longest);
        for (int peer = 0; peer < joinNonces.length; peer++) {
            opener.admit(peer, plan.epoch(), joinNonces[peer]);
        }
        return opener;
    }

    /**
     * Puts an opener before a handler, if frames are sealed.
     *
     * @param handler of open frames
     * @param reject  counts what is not genuine
     * @return what an inbox is to call
     */
    public FrameHandler opening(FrameHandler handler, Consumer<Rejection> reject) {
        FrameOpener opener = newOpener();
        return null == opener ? handler : new OpeningHandler(opener, handler, reject);
    }

    /**
     * As {@link #opening}, for a handler that passes frames on: it gets them sealed as they are, but only those that
     * can be opened.
     *
     * @param handler of genuine frames
     * @param reject  counts what is not genuine
     * @return what an inbox is to call
     */
    public FrameHandler genuine(FrameHandler handler, Consumer<Rejection> reject) {
        FrameOpener opener = newOpener();
        return null == opener ? handler : OpeningHandler.ofGenuine(opener, handler, reject);
    }
}
