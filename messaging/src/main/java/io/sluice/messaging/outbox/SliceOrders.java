package io.sluice.messaging.outbox;

import io.sluice.codecs.Providers;
import io.sluice.messaging.spi.SliceOrder;
import io.sluice.messaging.spi.SliceOrderProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Orders by name: those of Sluice ({@link StandardOrder}) and those that users provide. */
public final class SliceOrders {
    private static final Providers<SliceOrder> PROVIDERS = new Providers<>(
            "order",
            "one of these, or several separated by commas:",
            List.of(StandardOrder.values()),
            () -> ServiceLoader.load(SliceOrderProvider.class));

    private static final int MAX_BITS = 63;

    private SliceOrders() {}

    /**
     * Creates an order.
     *
     * @param text name of an order, as in {@code magnitude} or {@code random:7}; or several names separated by commas,
     *             as in {@code layer,magnitude}, each of which decides among slices that all orders before it rank
     *             equal
     * @return a new order, for one thread
     * @throws IllegalArgumentException if a name is unknown (the message lists the names) or an argument is wrong; if
     *     the ranks of all together are wider than 63 bits; if two providers have the same name, or one cannot be
     *     loaded
     */
    public static SliceOrder named(String text) {
        List<SliceOrder> parts = new ArrayList<>();
        int bits = 0;
        for (String part : text.split(",", -1)) {
            SliceOrder order = PROVIDERS.create(text, part);
            parts.add(order);
            bits += order.bits();
        }
        if (bits > MAX_BITS) {
            throw new IllegalArgumentException("order is '" + text + "', whose ranks take " + bits
                    + " bits in total, expected at most " + MAX_BITS + ": name fewer orders");
        }
        return parts.size() == 1 ? parts.getFirst() : new Lexicographic(text, parts.toArray(SliceOrder[]::new), bits);
    }

    /** Several orders, the first of which decides first: one number holds their ranks side by side. */
    private record Lexicographic(String name, SliceOrder[] parts, int bits) implements SliceOrder {
        @Override
        public long rank(SliceOrder.Urgency urgency) {
            long rank = 0;
            for (SliceOrder part : parts) {
                rank = rank << part.bits() | part.rank(urgency);
            }
            return rank;
        }

        @Override
        public boolean weighs() {
            for (SliceOrder part : parts) {
                if (part.weighs()) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public boolean compares() {
            for (SliceOrder part : parts) {
                if (part.compares()) {
                    return true;
                }
            }
            return false;
        }
    }
}
