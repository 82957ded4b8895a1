package io.sluice.perf.link;

import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import org.agrona.DirectBuffer;

/** Aeron's publication, as its user would offer to it. */
final class RawOutlet implements Outlet {
    private final ExclusivePublication publication;

    RawOutlet(ExclusivePublication publication) {
        this.publication = publication;
    }

    @Override
    public boolean offer(DirectBuffer buffer, int offset, int length) {
        long position = publication.offer(buffer, offset, length);
        if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
            throw new IllegalStateException("publication ended with " + position);
        }
        return position > 0;
    }
}
