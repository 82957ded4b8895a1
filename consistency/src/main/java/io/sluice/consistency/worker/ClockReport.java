package io.sluice.consistency.worker;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Passes the measurements of each clock to a listener. For the trainer's thread. */
interface ClockReport {
    /** Reports nothing. */
    ClockReport NONE = new ClockReport() {
        @Override
        public void begin() {}

        @Override
        public void onClock(long clock) {}
    };

    /** Begins the first clock. */
    void begin();

    /** Ends a clock. */
    void onClock(long clock);

    /** Creates a report to a listener, which may be null; {@code pushed} counts bytes. */
    static ClockReport to(Consumer<ClockFigures> listener, WorkerStats stats, LongSupplier pushed) {
        if (null == listener) {
            return NONE;
        }
        ClockFigures figures = new ClockFigures(stats, pushed);
        return new ClockReport() {
            @Override
            public void begin() {
                figures.end(0);
            }

            @Override
            public void onClock(long clock) {
                figures.end(clock);
                listener.accept(figures);
            }
        };
    }
}
