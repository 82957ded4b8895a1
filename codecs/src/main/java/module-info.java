/**
 * The wire format. Programs use the types of values, reports and the secret; their own policies use blocks. Everything
 * else is internal.
 */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"
}) // the modules that these exports name are compiled later
module io.sluice.codecs {
    requires transitive org.agrona;
    requires org.lz4.java;
    requires org.xerial.snappy;
    requires static com.github.luben.zstd_jni;

    uses io.sluice.codecs.spi.BlockCompressorProvider;

    exports io.sluice.codecs.api;
    exports io.sluice.codecs.spi;
    exports io.sluice.codecs to
            io.sluice.filter,
            io.sluice.messaging,
            io.sluice.tree,
            io.sluice.consistency;
    exports io.sluice.codecs.sbe to
            io.sluice.messaging,
            io.sluice.tree,
            io.sluice.consistency;
    exports io.sluice.codecs.seal to
            io.sluice.messaging,
            io.sluice.consistency;
}
