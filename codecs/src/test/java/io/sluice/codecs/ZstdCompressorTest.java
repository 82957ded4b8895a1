package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import io.sluice.codecs.spi.BlockCompressor;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class ZstdCompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new ZstdCompressor();
    private final UnsafeBuffer packed = new FrameBuffer(4096).buffer();
    private final UnsafeBuffer unpacked = new FrameBuffer(4096).buffer();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }

    @Test
    void boundIsThatOfTheLibrary() {
        Property.holds(1000, random -> {
            int length = random.nextInt(1 << 19);
            assertEquals(Zstd.compressBound(length), compressor.maxCompressedLength(length));
        });
    }

    @Test
    void writesNoMagicNumberAndNoSizes() {
        unpacked.setMemory(0, 1000, (byte) 7);
        int length = compressor.compress(unpacked, 0, 1000, packed, 0, packed.capacity());

        assertEquals(0, packed.getByte(0), "frame descriptor: no content size, no checksum, no dictionary");
        assertTrue(length < 16, "bytes for a run of 1000: " + length);
    }

    /** Eleven bytes announce 2^31 bytes of window and of content, but nothing is allocated. */
    @Test
    void announcedSizesAllocateNothing() {
        String window = "00" + "a8"; // descriptor, window of 2^(10 + 21) bytes
        String content = "c0" + "a8" + "0000008000000000"; // the same, and a content size of 2^31
        String block = "0b0000" + "41"; // last block, a run of one byte
        assertEquals(1, decompress(window + block, 1));
        assertEquals(-1, decompress(content + block, 1));
        assertEquals(-1, decompress(window + "030020" + "41", 4096), "a run of 2^18 bytes");
    }

    /** Formats that the library would recognise by a magic number, all of them with decoders or rules of their own. */
    @Test
    void readsNothingButItsOwnFormat() {
        String block = "0b0000" + "41";
        assertEquals(-1, decompress("28b52ffd" + "0058" + block, 1), "zstd with its magic number");
        assertEquals(-1, decompress("502a4d18" + "00000000" + "0058" + block, 1), "a skippable frame before it");
        for (int version = 0x22; version <= 0x27; version++) {
            assertEquals(-1, decompress("%02xb52ffd".formatted(version) + "0058" + block, 1), "an old format");
        }
    }

    private int decompress(String hex, int expectedLength) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        packed.putBytes(0, bytes);
        return compressor.decompress(packed, 0, bytes.length, unpacked, 0, expectedLength);
    }
}
