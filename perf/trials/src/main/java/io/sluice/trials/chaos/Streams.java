package io.sluice.trials.chaos;

import io.aeron.AeronCounters;
import io.sluice.messaging.api.Endpoint;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.status.CountersReader;

/** The UDP streams of a media driver's publications, by its counters. */
final class Streams {
    /** Pattern of labels such as {@code snd-pos: 5 -1203 10 aeron:udp?endpoint=127.0.0.1:40100|mtu=1408}. */
    private static final Pattern SENDER = Pattern.compile("snd-pos: \\d+ -?\\d+ (-?\\d+) (aeron:udp\\?\\S+)");

    private static final Pattern ENDPOINT = Pattern.compile("endpoint=([0-9.]+:[0-9]+)");

    private Streams() {}

    /**
     * A stream.
     *
     * @param channel channel of the publisher
     * @param id id of the stream
     * @param receiver destination address
     */
    record Stream(String channel, int id, Endpoint receiver) {}

    /** The current streams. */
    static Set<Stream> of(CountersReader counters) {
        Set<Stream> streams = new LinkedHashSet<>();
        counters.forEach((counterId, typeId, key, label) -> {
            Matcher sender = SENDER.matcher(label);
            Matcher endpoint = ENDPOINT.matcher(label);
            if (typeId == AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID && sender.find() && endpoint.find()) {
                streams.add(new Stream(
                        sender.group(2), Integer.parseInt(sender.group(1)), Endpoint.parse(endpoint.group(1))));
            }
        });
        return streams;
    }
}
