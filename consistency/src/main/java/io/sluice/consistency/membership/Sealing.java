package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.OpeningHandler;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;

/**
 * Seals the frames that a welcomed node sends to other nodes, and opens the frames that it receives, if the cluster's
 * terms require it.
 *
 * <p>Any thread may obtain a seal; each seal belongs to one thread.
 */
public final class Sealing {
    private static final Sealing NONE = new Sealing(null, null, ControlIds.NO_NODE, null, null);

    private final KeySchedule schedule;
    private final ClusterPlan plan;
    private final int node;
    private final SenderSeals seals;
    private final Supplier<ClusterState> cluster;

    private Sealing(
            KeySchedule schedule, ClusterPlan plan, int node, SenderSeals seals, Supplier<ClusterState> cluster) {
        this.node = node;
        this.schedule = schedule;
        this.plan = plan;
        this.seals = seals;
        this.cluster = cluster;
    }

    /** Creates the sealing of a cluster that does not seal its frames. */
    static Sealing none() {
        return NONE;
    }

    /**
     * Creates the sealing of a cluster that seals its frames.
     *
     * @param schedule schedule of its secret
     * @param plan     plan with the terms
     * @param node     id of this node
     * @param own      seals of this node
     * @param cluster  supplies the state, which holds the nonces of all nodes
     */
    static Sealing of(
            KeySchedule schedule, ClusterPlan plan, int node, SenderSeals own, Supplier<ClusterState> cluster) {
        return new Sealing(schedule, plan, node, own, cluster);
    }

    /**
     * Creates the seal for the frames of one thread.
     *
     * @return the seal; without sealing, it only adds the checksum
     */
    public FrameSeal newSeal() {
        return null == seals ? FrameSeal.checksumOnly() : seals.newSeal();
    }

    /**
     * The rule for the frames of data streams.
     *
     * @return the rule for validators
     */
    public SealRule rule() {
        return null == seals ? SealRule.OPEN : SealRule.SEALED;
    }

    /**
     * Number of bytes by which a seal makes frames longer.
     *
     * @return 0 if there is none
     */
    public int trailerLength() {
        return null == seals ? 0 : SealTrailer.LENGTH;
    }

    /** Opens frames of all nodes. */
    private FrameOpener newOpener(ClusterState state) {
        int longest = Frame.longestData(plan.settings().sliceElements());
        FrameOpener opener = new FrameOpener(schedule, plan.clusterId(), node, longest);
        for (int peer = 0; peer < state.members().size(); peer++) {
            if (Presence.VACANT != state.member(peer).presence()) {
                admit(opener, peer, state);
            }
        }
        return opener;
    }

    private static void admit(FrameOpener opener, int peer, ClusterState state) {
        Member member = state.member(peer);
        opener.admit(peer, member.epoch(), member.seat().nonce());
    }

    /**
     * Puts an opener before a handler, if frames are sealed.
     *
     * @param handler handler of open frames
     * @param reject  counts frames that are not genuine
     * @return the handler for an inbox
     */
    public FrameHandler opening(FrameHandler handler, Consumer<Rejection> reject) {
        return null == seals ? handler : new KeysFirst(opener -> new OpeningHandler(opener, handler, reject));
    }

    /**
     * Like {@link #opening}, for a handler that forwards frames: it receives genuine frames in their sealed form.
     *
     * @param handler handler of genuine frames
     * @param reject  counts frames that are not genuine
     * @return the handler for an inbox
     */
    public FrameHandler genuine(FrameHandler handler, Consumer<Rejection> reject) {
        return null == seals ? handler : new KeysFirst(opener -> OpeningHandler.ofGenuine(opener, handler, reject));
    }

    /**
     * Gives the opener the key of a sender's present incarnation before it opens a frame. A frame of an incarnation
     * that is not known yet stays in its log.
     */
    private final class KeysFirst implements FrameHandler {
        private final FrameOpener opener;
        private final FrameHandler next;

        /** Whether a later incarnation may exist; otherwise a frame that names one is forged. */
        private final boolean changesHands = plan.settings().changesHands();

        private ClusterState followed;

        KeysFirst(Function<FrameOpener, FrameHandler> handler) {
            followed = cluster.get();
            opener = newOpener(followed);
            next = handler.apply(opener);
        }

        @Override
        public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
            ClusterState now = cluster.get();
            if (now != followed) {
                follow(now);
            }
            int origin = Frame.origin(buffer, offset);
            boolean isKnown = !changesHands
                    || origin >= now.members().size()
                    || Frame.epoch(buffer, offset) <= now.member(origin).epoch();
            return isKnown ? next.onFrame(buffer, offset, length, templateId, session) : Action.ABORT;
        }

        private void follow(ClusterState now) {
            for (int peer = 0; peer < now.members().size(); peer++) {
                if (now.member(peer).epoch() != followed.member(peer).epoch()) {
                    admit(opener, peer, now);
                }
            }
            followed = now;
        }
    }
}
