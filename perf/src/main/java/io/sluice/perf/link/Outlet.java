package io.sluice.perf.link;

import org.agrona.DirectBuffer;

/** The sending end of a stream, of any stack. */
@FunctionalInterface
interface Outlet {
    /** Offers a frame; returns whether the log accepted it. */
    boolean offer(DirectBuffer buffer, int offset, int length);
}
