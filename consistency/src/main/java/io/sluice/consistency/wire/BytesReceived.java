package io.sluice.consistency.wire;

import io.sluice.messaging.Link;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Bytes that receivers get over links: each byte counts once for each receiver that the link had when it was sent.
 * Several workers of a host read one log, and they may become fewer.
 *
 * <p>Changed by one thread; the bytes may be asked for by any.
 */
public final class BytesReceived {
    private final List<Counted> links = new CopyOnWriteArrayList<>();

    /**
     * A link.
     *
     * @param link      whose log takes the bytes
     * @param receivers that it has now
     * @param before    bytes that it sent so far and that count more often than for those
     */
    private record Counted(Link link, int receivers, long before) {
        long bytes() {
            return before + link.bytes() * receivers;
        }
    }

    /**
     * Counts what is sent on one more link, which gets the next number.
     *
     * @param link      just opened
     * @param receivers that it has
     */
    public void add(Link link, int receivers) {
        links.add(new Counted(link, receivers, 0));
    }

    /**
     * Counts what is sent on a link from now on for so many receivers.
     *
     * @param number of the link
     * @param now    receivers that it has
     */
    public void receivers(int number, int now) {
        Counted counted = links.get(number);
        if (counted.receivers != now) {
            long fewer = counted.receivers - now;
            links.set(number, new Counted(counted.link, now, counted.before + counted.link.bytes() * fewer));
        }
    }

    /** Bytes as they lie in the logs, once for each receiver. */
    public long bytes() {
        return links.stream().mapToLong(Counted::bytes).sum();
    }

    /** Bytes as they lie in the logs, once for each link. */
    public long sent() {
        return links.stream().mapToLong(counted -> counted.link.bytes()).sum();
    }
}
