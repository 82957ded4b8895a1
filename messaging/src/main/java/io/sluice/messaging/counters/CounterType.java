package io.sluice.messaging.counters;

import java.util.Locale;

/**
 * The types of counters, with the type ids by which readers find them. Sluice uses the ids 5,400 to 5,499; Aeron
 * reserves the ids from 1,000 on for applications. An id is never reused for another type.
 *
 * <p>To add a counter, add a constant and get its counter from a {@link CounterGroup}. {@code sluice stat} and
 * Prometheus show it without further code.
 */
public enum CounterType {
    /** Frames that a link's log has accepted, by kind of frame. */
    LINK_FRAMES_SENT(5_400, Scope.LINK, Meaning.COUNT, "frames sent"),
    /** Bytes that sent frames occupy in the log, with Aeron's headers and alignment, by kind of frame. */
    LINK_BYTES_SENT(5_401, Scope.LINK, Meaning.COUNT, "bytes sent"),
    /** Offers refused, because the log was full or had no receiver. */
    LINK_STALLS(5_402, Scope.LINK, Meaning.COUNT, "refused offers"),
    /** 1 if a receiver was connected when the link was last used, otherwise 0. */
    LINK_CONNECTED(5_403, Scope.LINK, Meaning.GAUGE, "connected"),
    /** Frames that wait above the link's log. */
    LINK_QUEUED_FRAMES(5_404, Scope.LINK, Meaning.GAUGE, "frames queued"),
    /** Bytes of the queued frames before compression. */
    LINK_QUEUED_BYTES(5_405, Scope.LINK, Meaning.GAUGE, "bytes queued"),
    /** Time that the oldest queued frame has been waiting, in nanoseconds. */
    LINK_QUEUE_AGE(5_406, Scope.LINK, Meaning.NANOSECONDS, "oldest queued in ns"),
    /** Bytes taken from the token bucket with the fewest bytes left, and not yet refilled. */
    LINK_BUDGET_USED(5_407, Scope.LINK, Meaning.GAUGE, "budget used"),
    /** Time during which frames waited and the budget admitted none, in nanoseconds. */
    LINK_BUDGET_WAIT(5_408, Scope.LINK, Meaning.TIME, "time waiting for budget in ns"),
    /** Bytes sent over the network that the receiver has not reported as consumed. */
    LINK_IN_FLIGHT(5_409, Scope.LINK, Meaning.GAUGE, "bytes in flight"),
    /** Frames that were taken back while they waited, to be merged with a newer update. */
    LINK_FRAMES_MERGED(5_410, Scope.LINK, Meaning.COUNT, "frames merged"),
    /** Delivery rate of the path estimated from the traffic, in bytes per second; 0 if not known. */
    LINK_RATE(5_411, Scope.LINK, Meaning.GAUGE, "estimated rate"),

    /** Frames handled. */
    INBOX_FRAMES_RECEIVED(5_420, Scope.INBOX, Meaning.COUNT, "frames received"),
    /** Bytes of the frames handled, without Aeron's headers. */
    INBOX_BYTES_RECEIVED(5_421, Scope.INBOX, Meaning.COUNT, "bytes received"),
    /** Number of times that a handler has deferred a frame, which it then receives again. */
    INBOX_FRAMES_DEFERRED(5_422, Scope.INBOX, Meaning.COUNT, "frames deferred"),
    /** Frames dropped, by reason; only reasons that have occurred have a counter. */
    INBOX_REJECTED(5_423, Scope.INBOX, Meaning.COUNT, "frames rejected"),

    /** 1 for the UDP batching mode that a media driver uses; the detail is the mode's name. */
    DRIVER_UDP_BATCH(5_430, Scope.DRIVER, Meaning.GAUGE, "UDP batching mode"),
    /** Datagrams that publications have sent. */
    DRIVER_DATAGRAMS_SENT(5_431, Scope.DRIVER, Meaning.COUNT, "datagrams sent"),
    /** System calls that have sent those datagrams. */
    DRIVER_SENDS(5_432, Scope.DRIVER, Meaning.COUNT, "calls that sent datagrams"),
    /** Datagrams that subscriptions have received. */
    DRIVER_DATAGRAMS_RECEIVED(5_433, Scope.DRIVER, Meaning.COUNT, "datagrams received"),
    /** System calls that have received those datagrams. */
    DRIVER_RECEIVES(5_434, Scope.DRIVER, Meaning.COUNT, "calls that received datagrams"),
    /** Batches and single datagrams that a socket has not taken in full, by reason; data is offered again. */
    DRIVER_SEND_FAILURES(5_435, Scope.DRIVER, Meaning.COUNT, "batches not sent"),
    /** Received messages that the kernel truncated or that could not be split; their datagrams are dropped. */
    DRIVER_RECEIVE_FAILURES(5_436, Scope.DRIVER, Meaning.COUNT, "receive errors"),

    /** Longest duty cycle so far, in nanoseconds. */
    AGENT_MAX_CYCLE(5_440, Scope.AGENT, Meaning.NANOSECONDS, "longest cycle in ns"),
    /** Number of duty cycles that took longer than the threshold. */
    AGENT_SLOW_CYCLES(5_441, Scope.AGENT, Meaning.COUNT, "cycles above threshold"),
    /** Units of work done: frames, for most agents. */
    AGENT_WORK(5_442, Scope.AGENT, Meaning.COUNT, "work done"),

    /** Iterations that a worker has completed, or rounds that a server has finalised. */
    NODE_CLOCK(5_460, Scope.NODE, Meaning.GAUGE, "clock"),
    /** Epoch of the membership. */
    NODE_EPOCH(5_461, Scope.NODE, Meaning.GAUGE, "epoch"),
    /** Threshold of the filter at the last clock, in billionths; it bounds the residual. 0 if nothing is filtered. */
    NODE_THRESHOLD(5_462, Scope.NODE, Meaning.BILLIONTHS, "threshold in billionths"),
    /** Elements offered to the filter. */
    NODE_ELEMENTS_OFFERED(5_463, Scope.NODE, Meaning.COUNT, "elements offered to the filter"),
    /** Elements that the filter kept, including those taken back later. */
    NODE_ELEMENTS_KEPT(5_464, Scope.NODE, Meaning.COUNT, "elements kept by the filter"),
    /**
     * Bytes that compression saved in the frames written, by class of frames; only classes with savings have a counter.
     */
    NODE_BYTES_SAVED(5_465, Scope.NODE, Meaning.COUNT, "bytes saved by compression"),
    /** Time spent filtering, framing and sending, in nanoseconds. */
    NODE_PUSH_TIME(5_466, Scope.NODE, Meaning.TIME, "time pushing in ns"),
    /** Time spent waiting for parameters, or until a frame could be sent or queued, in nanoseconds. */
    NODE_WAIT_TIME(5_467, Scope.NODE, Meaning.TIME, "time waiting in ns"),
    /**
     * Elements of updates that still waited for their link when the next update of their slice was merged with them.
     */
    NODE_ELEMENTS_TAKEN_BACK(5_468, Scope.NODE, Meaning.COUNT, "elements taken back before they were sent"),
    /** Bytes of broadcast payloads, before decompression, that a worker has decoded. */
    NODE_BYTES_DECODED(5_469, Scope.NODE, Meaning.COUNT, "bytes of broadcasts decoded"),
    /** Broadcast frames that a server has retransmitted to receivers that missed them. */
    NODE_FRAMES_RESENT(5_474, Scope.NODE, Meaning.COUNT, "frames retransmitted"),
    /** Requests by a worker to repeat broadcasts. */
    NODE_RESENDS_ASKED(5_475, Scope.NODE, Meaning.COUNT, "requests for frames missed"),
    /** Times that a relay skipped a stalled child, which then has to request the frames. */
    NODE_CHILDREN_SKIPPED(5_476, Scope.NODE, Meaning.COUNT, "children skipped"),
    /** Failures of a node that has found an update, a sum or a parameter to be NaN or infinite: at most one. */
    NODE_NOT_FINITE(5_479, Scope.NODE, Meaning.COUNT, "sums not finite"),
    /** Snapshots that a node has written. */
    NODE_SNAPSHOTS(5_480, Scope.NODE, Meaning.COUNT, "snapshots written"),
    /** Bytes of snapshots that a node has written. */
    NODE_SNAPSHOT_BYTES(5_481, Scope.NODE, Meaning.COUNT, "bytes of snapshots written"),
    /** Time for which a node's main thread paused to copy state for snapshots, in nanoseconds. */
    NODE_SNAPSHOT_COPY_TIME(5_482, Scope.NODE, Meaning.TIME, "time copying for snapshots in ns"),
    /** Time from the start of copying a snapshot's state until all of it was on disk, in nanoseconds. */
    NODE_SNAPSHOT_TIME(5_483, Scope.NODE, Meaning.TIME, "time taking snapshots in ns"),
    /** Requests from a server for pushes that are missing, or may be missing when a worker is silent. */
    NODE_PUSHES_ASKED(5_484, Scope.NODE, Meaning.COUNT, "requests for pushes missed"),
    /** Frames that a worker has pushed again to servers that requested them. */
    NODE_PUSHES_REPEATED(5_485, Scope.NODE, Meaning.COUNT, "pushes retransmitted"),
    /** 1 for a term of the job as the coordinator announced it; the detail is the term, such as {@code tree=flat}. */
    NODE_TERM(5_486, Scope.NODE, Meaning.GAUGE, "term of the job");

    private static final CounterType[] ALL = values();

    /** The kind of object to which a counter belongs. */
    public enum Scope {
        /** The sending end of a stream. */
        LINK,
        /** The receiving end of a stream. */
        INBOX,
        /** A media driver. */
        DRIVER,
        /** A thread with a duty cycle, or a kind of calls of the trainer. */
        AGENT,
        /** A server or a worker. */
        NODE
    }

    /** How to read the value. */
    public enum Meaning {
        /** A count that rises from 0; its increase over time is a rate. */
        COUNT,
        /** A current value. */
        GAUGE,
        /** A duration in nanoseconds. */
        NANOSECONDS,
        /** A sum of durations in nanoseconds, from 0. */
        TIME,
        /** A number that is not whole, times 1,000,000,000. */
        BILLIONTHS
    }

    private final int typeId;
    private final Scope scope;
    private final Meaning meaning;
    private final String text;

    CounterType(int typeId, Scope scope, Meaning meaning, String text) {
        this.typeId = typeId;
        this.scope = scope;
        this.meaning = meaning;
        this.text = text;
    }

    /** The type id in Aeron's counters. */
    public int typeId() {
        return typeId;
    }

    /** The scope of the type. */
    public Scope scope() {
        return scope;
    }

    /** How to read the value. */
    public Meaning meaning() {
        return meaning;
    }

    /** The description of the type, for people. */
    public String text() {
        return text;
    }

    /** Name of the type for programs: the constant's name in lower case. */
    public String configName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The type with an id.
     *
     * @param typeId type id of a counter.
     * @return the type, or null if it is not Sluice's.
     */
    public static CounterType of(int typeId) {
        for (CounterType type : ALL) {
            if (type.typeId == typeId) {
                return type;
            }
        }
        return null;
    }
}
