package io.sluice.perf.cluster;

import io.sluice.perf.lab.LinkTraffic;
import java.util.Arrays;
import java.util.List;

/**
 * The traffic of all links so far, including Ethernet headers.
 *
 * @param up      bytes from each host into the network, by link
 * @param dropped packets that full queues of any link dropped
 */
record LinkUse(long[] up, long dropped) {
    static LinkUse of(List<LinkTraffic> links) {
        return new LinkUse(
                links.stream().mapToLong(link -> link.up().bytes()).toArray(),
                links.stream()
                        .mapToLong(link -> link.up().dropped() + link.down().dropped())
                        .sum());
    }

    LinkUse since(LinkUse earlier) {
        long[] more = new long[up.length];
        Arrays.setAll(more, link -> up[link] - earlier.up[link]);
        return new LinkUse(more, dropped - earlier.dropped);
    }

    /** Bytes of the link that has sent most. */
    long most() {
        return Arrays.stream(up).max().orElse(0);
    }

    long together() {
        return Arrays.stream(up).sum();
    }
}
