package io.sluice.messaging.counters;

import java.util.List;

/**
 * Records the longest duty cycle of an agent, the number of cycles above a threshold and the work done, after the idea
 * of Aeron's {@code DutyCycleTracker}. For the agent's thread; allocates nothing.
 */
public final class DutyCycle implements AutoCloseable {
    static final List<CounterGroup.Member> ALWAYS = List.of(
            new CounterGroup.Member(CounterType.AGENT_MAX_CYCLE, ""),
            new CounterGroup.Member(CounterType.AGENT_SLOW_CYCLES, ""),
            new CounterGroup.Member(CounterType.AGENT_WORK, ""));

    private final CounterGroup group;
    private final long thresholdNs;
    private final SingleWriterCounter max;
    private final SingleWriterCounter slow;
    private final SingleWriterCounter work;
    private boolean started;
    private long lastNs;

    DutyCycle(CounterGroup group, long thresholdNs) {
        this.group = group;
        this.thresholdNs = thresholdNs;
        max = group.counter(CounterType.AGENT_MAX_CYCLE);
        slow = group.counter(CounterType.AGENT_SLOW_CYCLES);
        work = group.counter(CounterType.AGENT_WORK);
    }

    /**
     * Begins a cycle. It measures the time since the last cycle began, idling included, because a peer waits for both.
     *
     * @param nowNs current time.
     */
    public void begin(long nowNs) {
        if (started) {
            took(nowNs - lastNs);
        }
        started = true;
        lastNs = nowNs;
    }

    /**
     * Records the time of a cycle or a call.
     *
     * @param ns duration in nanoseconds.
     */
    public void took(long ns) {
        max.raise(ns);
        if (ns > thresholdNs) {
            slow.increment();
        }
    }

    /** Adds to the work done; costs nothing if the amount is 0. */
    public void worked(int amount) {
        if (amount > 0) {
            work.add(amount);
        }
    }

    /** Longest cycle so far in nanoseconds. */
    public long maxNs() {
        return max.get();
    }

    @Override
    public void close() {
        group.close();
    }
}
