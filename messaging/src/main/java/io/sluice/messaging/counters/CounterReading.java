package io.sluice.messaging.counters;

import io.aeron.AeronCounters;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * A reading of the counters of a media driver: Sluice's, and Aeron's for the same streams. It is not atomic: the values
 * are read one by one. Counters of other programs are left out.
 *
 * @param entries our counters, in the order of their types, nodes, names and details.
 * @param streams Aeron's counters of single streams.
 * @param system Aeron's counters of the whole driver, by their ids in {@link AeronCounters}.
 */
public record CounterReading(List<Entry> entries, List<Stream> streams, Map<Integer, SystemCounter> system) {
    private static final Comparator<Entry> ORDER = Comparator.comparing(Entry::type)
            .thenComparing(Entry::node)
            .thenComparing(entry -> entry.key().name())
            .thenComparing(entry -> entry.key().detail())
            .thenComparingInt(Entry::counterId);

    /**
     * A counter of Sluice.
     *
     * @param counterId position in the driver's file; reused after the counter is freed.
     * @param ownerId id of the Aeron client that owns the counter.
     * @param node name of the server or worker of that client; the counter's own name if the client is neither.
     * @param type type of the counter.
     * @param key key of the counted object.
     * @param value value of the counter.
     */
    public record Entry(int counterId, long ownerId, String node, CounterType type, CounterKey key, long value) {
        /** The far end of a link; of any other object its name. */
        public String peer() {
            int at = key.name().indexOf("to ");
            return type.scope() == CounterType.Scope.LINK && at >= 0
                    ? key.name().substring(at + 3)
                    : key.name();
        }
    }

    /**
     * One of Aeron's counters of a stream.
     *
     * @param typeId type id as {@link AeronCounters} has it.
     * @param registrationId registration id of the publication or subscription; of the image for counters of the
     *                       receiver.
     * @param sessionId session id of the stream.
     * @param streamId stream id of the stream.
     * @param value bytes for positions, otherwise a count.
     */
    public record Stream(int typeId, long registrationId, int sessionId, int streamId, long value) {}

    /**
     * One of Aeron's counters of the whole driver.
     *
     * @param label Aeron's name of the counter.
     * @param value value of the counter.
     */
    public record SystemCounter(String label, long value) {}

    private static final int STREAM_SESSION_OFFSET = 8;
    private static final int STREAM_ID_OFFSET = 12;

    /** Copies the collections. */
    public CounterReading {
        entries = List.copyOf(entries);
        streams = List.copyOf(streams);
        system = Collections.unmodifiableMap(new TreeMap<>(system));
    }

    /**
     * Reads the counters of a driver.
     *
     * @param reader reader of the driver's counters.
     * @return their current values.
     */
    public static CounterReading of(CountersReader reader) {
        List<Entry> found = new ArrayList<>();
        List<Stream> streams = new ArrayList<>();
        Map<Integer, SystemCounter> system = new TreeMap<>();
        reader.forEach((counterId, typeId, key, label) -> {
            if (typeId == AeronCounters.DRIVER_SYSTEM_COUNTER_TYPE_ID) {
                // The driver's own are the first in the file; other programs' of this type id follow.
                system.putIfAbsent(key.getInt(0), new SystemCounter(label, reader.getCounterValue(counterId)));
            } else if (isOfStream(typeId)) {
                streams.add(stream(typeId, key, reader.getCounterValue(counterId)));
            } else {
                Entry entry = ours(reader, counterId, typeId, key);
                if (entry != null) {
                    found.add(entry);
                }
            }
        });
        return new CounterReading(named(found), streams, system);
    }

    private static boolean isOfStream(int typeId) {
        return switch (typeId) {
            case AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID,
                    AeronCounters.DRIVER_PUBLISHER_LIMIT_TYPE_ID,
                    AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID,
                    AeronCounters.DRIVER_SENDER_BPE_TYPE_ID,
                    AeronCounters.DRIVER_SENDER_NAKS_RECEIVED_TYPE_ID,
                    AeronCounters.DRIVER_SUBSCRIBER_POSITION_TYPE_ID,
                    AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID,
                    AeronCounters.DRIVER_RECEIVER_HWM_TYPE_ID,
                    AeronCounters.DRIVER_RECEIVER_NAKS_SENT_TYPE_ID -> true;
            default -> false;
        };
    }

    private static Stream stream(int typeId, DirectBuffer key, long value) {
        return new Stream(
                typeId, key.getLong(0), key.getInt(STREAM_SESSION_OFFSET), key.getInt(STREAM_ID_OFFSET), value);
    }

    private static Entry ours(CountersReader reader, int counterId, int typeId, DirectBuffer buffer) {
        CounterType type = CounterType.of(typeId);
        CounterKey key = type == null ? null : CounterKey.decode(buffer);
        if (key == null) {
            return null;
        }
        return new Entry(
                counterId, reader.getCounterOwnerId(counterId), "", type, key, reader.getCounterValue(counterId));
    }

    /** Sets the node of each counter: the one whose client owns it. */
    private static List<Entry> named(List<Entry> found) {
        Map<Long, String> nodes = new HashMap<>();
        for (Entry entry : found) {
            if (entry.type().scope() == CounterType.Scope.NODE) {
                nodes.putIfAbsent(entry.ownerId(), entry.key().name());
            }
        }
        return found.stream()
                .map(entry -> new Entry(
                        entry.counterId(),
                        entry.ownerId(),
                        nodes.getOrDefault(entry.ownerId(), entry.key().name()),
                        entry.type(),
                        entry.key(),
                        entry.value()))
                .sorted(ORDER)
                .toList();
    }

    /**
     * One of Aeron's counters of the whole driver.
     *
     * @param id id as in {@link AeronCounters}.
     * @return its value; 0 if this driver has none.
     */
    public long system(int id) {
        SystemCounter counter = system.get(id);
        return counter == null ? 0 : counter.value();
    }

    /** The sum of our counters of a type. */
    public long sum(CounterType type) {
        return entries.stream()
                .filter(entry -> entry.type() == type)
                .mapToLong(Entry::value)
                .sum();
    }

    /**
     * The sum of Aeron's counters of one type for a link.
     *
     * @param typeId type id as {@link AeronCounters} has it.
     * @param link a counter of the link.
     * @return 0 if there is none.
     */
    public long ofPublication(int typeId, Entry link) {
        return streams.stream()
                .filter(stream -> stream.typeId() == typeId)
                .filter(stream -> stream.registrationId() == link.key().registrationId())
                .mapToLong(Stream::value)
                .sum();
    }

    /**
     * The sum of Aeron's counters of one type over the images of an inbox.
     *
     * @param typeId type id of a counter of the receiver.
     * @param inbox a counter of the inbox.
     * @return 0 if there is none.
     */
    public long ofImages(int typeId, Entry inbox) {
        return streams.stream()
                .filter(stream -> stream.typeId() == typeId && hasImage(inbox, stream))
                .mapToLong(Stream::value)
                .sum();
    }

    /**
     * Number of senders of an inbox.
     *
     * @param inbox a counter of the inbox.
     */
    public long images(Entry inbox) {
        return streams.stream().filter(stream -> isPositionOf(stream, inbox)).count();
    }

    private boolean hasImage(Entry inbox, Stream stream) {
        return streams.stream()
                .anyMatch(position -> isPositionOf(position, inbox)
                        && position.sessionId() == stream.sessionId()
                        && position.streamId() == stream.streamId());
    }

    private static boolean isPositionOf(Stream stream, Entry inbox) {
        return stream.typeId() == AeronCounters.DRIVER_SUBSCRIBER_POSITION_TYPE_ID
                && stream.registrationId() == inbox.key().registrationId();
    }

    /**
     * Number of bytes that a link's log holds and that its slowest receiver (over UDP: the network) has not taken yet.
     *
     * @param link a counter of the link.
     * @return 0 or more.
     */
    public long unsent(Entry link) {
        long written = ofPublication(AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, link);
        long taken = streams.stream()
                .filter(stream -> stream.sessionId() == link.key().sessionId()
                        && stream.streamId() == link.key().streamId())
                .filter(stream -> stream.typeId() == AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID
                        || stream.typeId() == AeronCounters.DRIVER_SUBSCRIBER_POSITION_TYPE_ID)
                .mapToLong(Stream::value)
                .min()
                .orElse(written);
        return Math.max(0, written - taken);
    }
}
