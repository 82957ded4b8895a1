/** Links. Programs use the media driver, addresses, errors, and what an order of their own implements. */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"
}) // the modules that these exports name are compiled later
module io.sluice.messaging {
    requires transitive io.sluice.codecs;
    requires transitive org.agrona;
    requires io.aeron.client;
    requires io.aeron.driver;
    requires jdk.net;
    requires static micrometer.core;

    uses io.sluice.messaging.spi.SliceOrderProvider;

    exports io.sluice.messaging.api;
    exports io.sluice.messaging.driver;
    exports io.sluice.messaging.spi;
    exports io.sluice.messaging to
            io.sluice.tree,
            io.sluice.consistency;
    exports io.sluice.messaging.bandwidth to
            io.sluice.consistency;
    exports io.sluice.messaging.counters to
            io.sluice.consistency;
    exports io.sluice.messaging.idle to
            io.sluice.consistency;
    exports io.sluice.messaging.outbox to
            io.sluice.tree,
            io.sluice.consistency;
}
