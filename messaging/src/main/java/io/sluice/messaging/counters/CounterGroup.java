package io.sluice.messaging.counters;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The counters of one link, inbox, agent or node. If the media driver cannot allocate more counters, the group still
 * counts, but only this process can read the values.
 *
 * <p>One thread at a time may get counters and close the group. Getting a new counter allocates, and sends the driver a
 * command without waiting for its answer. Only one thread may change a counter.
 */
public final class CounterGroup implements AutoCloseable {
    /**
     * One counter of a group.
     *
     * @param type type of the counter.
     * @param detail kind, reason or class; empty where there is none.
     */
    record Member(CounterType type, String detail) {}

    private final Counters counters;
    private final CounterKey key;
    private final Map<Member, SingleWriterCounter> byMember = new HashMap<>();
    private final List<CounterBatch> batches = new ArrayList<>();
    private boolean closed;

    CounterGroup(Counters counters, CounterKey key, List<Member> members) {
        this.counters = counters;
        this.key = key;
        add(members);
    }

    private void add(List<Member> members) {
        if (members.isEmpty()) {
            return;
        }
        List<SingleWriterCounter> added =
                members.stream().map(_ -> new SingleWriterCounter()).toList();
        for (int i = 0; i < added.size(); i++) {
            byMember.put(members.get(i), added.get(i));
        }
        CounterBatch batch = closed ? null : counters.ask(key, members, added);
        if (batch != null) {
            batches.add(batch);
        }
    }

    /** Name of the counted object. */
    public String name() {
        return key.name();
    }

    /**
     * The counter of a type.
     *
     * @param type type of this group's scope, without details.
     * @return the same counter for each call.
     */
    public SingleWriterCounter counter(CounterType type) {
        return counter(type, "");
    }

    /**
     * The counter of one kind, reason or class.
     *
     * @param type type of this group's scope.
     * @param detail ASCII, up to {@link CounterKey#MAX_DETAIL} characters.
     * @return the same counter for each call.
     */
    public SingleWriterCounter counter(CounterType type, String detail) {
        Member member = new Member(type, detail);
        if (!byMember.containsKey(member)) {
            add(List.of(member));
        }
        return byMember.get(member);
    }

    /** Frees the driver's counters. Values stay readable and must no longer be changed. */
    @Override
    public void close() {
        closed = true;
        batches.forEach(CounterBatch::close);
        batches.clear();
    }
}
