package io.sluice.perf.shared;

import java.util.Locale;

/** The threshold that decides which share of an update is sent. */
enum Threshold {
    /** A schedule that is the same for every network. */
    FIXED,

    /** The threshold of Parameter Flow, which is higher while a link has less than a stated rate (section 3.3.3). */
    ADAPTIVE,

    /** A threshold that sends as many bytes as the measured rate carries in the time of a clock. */
    BUDGET;

    String configName() {
        return name().toLowerCase(Locale.ROOT);
    }

    String filter(SharedPlan plan) {
        return switch (this) {
            case FIXED -> "dvf:" + plan.low();
            case ADAPTIVE -> "adaptive:" + plan.low() + "," + plan.high() + ";min=" + plan.minimum() + "bit";
            case BUDGET -> "budget:auto";
        };
    }
}
