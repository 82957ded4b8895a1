package io.sluice.benchmarks;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.snappy.SnappyJavaCompressor;
import io.airlift.compress.v3.snappy.SnappyJavaDecompressor;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import io.sluice.codecs.BlockCompressors;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/** The compressors to compare. Zstandard is at level 1 in native code, and at the port's only level, 3, in Java. */
public enum Algorithm {
    /** A copy. */
    NONE {
        @Override
        Codec open() {
            return library("none");
        }
    },
    /** lz4-java over JNI. */
    LZ4_NATIVE {
        @Override
        Codec open() {
            LZ4Factory.nativeInstance(); // fails where the codec would fall back to Java
            return library("lz4");
        }
    },
    /** lz4-java without native code. */
    LZ4_JAVA {
        @Override
        Codec open() {
            LZ4Factory java = LZ4Factory.fastestJavaInstance();
            LZ4Compressor compressor = java.fastCompressor();
            return new ArrayCodec(
                    compressor::maxCompressedLength, compressor::compress, java.safeDecompressor()::decompress);
        }
    },
    /** snappy-java over JNI. */
    SNAPPY_NATIVE {
        @Override
        Codec open() {
            return library("snappy");
        }
    },
    /** aircompressor. */
    SNAPPY_JAVA {
        @Override
        Codec open() {
            return ported(new SnappyJavaCompressor(), new SnappyJavaDecompressor());
        }
    },
    /** zstd-jni. */
    ZSTD_NATIVE {
        @Override
        Codec open() {
            return library("zstd");
        }
    },
    /** aircompressor. */
    ZSTD_JAVA {
        @Override
        Codec open() {
            return ported(new ZstdJavaCompressor(), new ZstdJavaDecompressor());
        }
    };

    abstract Codec open();

    private static Codec ported(Compressor compressor, Decompressor decompressor) {
        return new ArrayCodec(compressor::maxCompressedLength, compressor::compress, decompressor::decompress);
    }

    private static Codec library(String name) {
        return new NativeCodec(BlockCompressors.named(name));
    }
}
