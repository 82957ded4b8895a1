package io.sluice.consistency.wire;

import io.sluice.codecs.Frame;
import io.sluice.codecs.SealTrailer;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.filter.spi.FilterSite;
import io.sluice.messaging.Link;

/** The bytes in its links' logs that a node sends in each round even if its filters keep nothing. */
public final class RoundTraffic {
    private RoundTraffic() {}

    /**
     * Computes the traffic of a node that filters.
     *
     * @param settings settings of the cluster
     * @param tables   tables that the node filters, 1 or more
     * @param elements elements of these tables
     * @param commits  round commits of these tables, each counted once, regardless of the number of links that carry it
     */
    public static FilterSite.NodeTraffic of(ClusterSettings settings, int tables, long elements, int commits) {
        int trailer = settings.seal() ? SealTrailer.LENGTH : 0;
        int frame = Link.lengthInOnePiece(Frame.DATA_LENGTH + trailer) + Link.MEAN_PADDING;
        return new FilterSite.NodeTraffic(
                tables,
                elements,
                frame,
                (long) commits * Link.lengthInOnePiece(FrameWriter.ROUND_COMMIT_LENGTH + trailer));
    }
}
