package io.sluice.perf.race;

/** Where the contestants of a group run, one at a time. */
interface Lane extends AutoCloseable {
    /** Warms a contestant up. Each is to be warmed up once, in their order. */
    void warmUp(int place);

    /** Gives a contestant a turn. */
    Turn turn(int place);

    @Override
    void close();
}
