package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.spi.BlockCompressor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The contract of every compressor. Guard bytes surround outputs. */
abstract class BlockCompressorContract {
    private static final int GUARD = 128;
    private static final byte GUARD_BYTE = (byte) 0xA5;

    private final UnsafeBuffer raw = new FrameBuffer(1 << 16).buffer();
    private final UnsafeBuffer packed = new FrameBuffer(1 << 17).buffer();
    private final UnsafeBuffer unpacked = new FrameBuffer((1 << 16) + 2 * GUARD).buffer();

    abstract BlockCompressor compressor();

    @Test
    void isFoundByNameAndCode() {
        BlockCompressor found = BlockCompressors.named(compressor().name());
        assertSame(compressor().getClass(), found.getClass());
        assertEquals(compressor().code(), found.code());
        assertTrue(BlockCompressors.isKnown(compressor().code()));
        AcceptedCompressors accepted = AcceptedCompressors.named(compressor().name());
        assertSame(
                compressor().getClass(), accepted.withCode(compressor().code()).getClass());
        assertNull(accepted.withCode(compressor().code() + 1));
        assertNull(accepted.withCode(-1));
        assertNull(accepted.withCode(255));
    }

    @Test
    void instancesOnDifferentThreadsDoNotInterfere() throws InterruptedException {
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int seed = i;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    roundTrips(BlockCompressors.named(compressor().name()), seed);
                } catch (RuntimeException | AssertionError e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), failures);
    }

    private static void roundTrips(BlockCompressor compressor, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        UnsafeBuffer raw = new FrameBuffer(20_000).buffer();
        UnsafeBuffer packed = new FrameBuffer(40_000).buffer();
        UnsafeBuffer unpacked = new FrameBuffer(20_000).buffer();
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < raw.capacity(); i += 16) {
                raw.putInt(i, random.nextInt());
            }
            int length = compressor.compress(raw, 0, raw.capacity(), packed, 0, packed.capacity());
            assertEquals(raw.capacity(), compressor.decompress(packed, 0, length, unpacked, 0, raw.capacity()));
            assertEquals(raw, unpacked);
        }
    }

    @Test
    void roundTrip() {
        Property.holds(300, random -> {
            int length = random.nextInt(4) == 0 ? random.nextInt(20) : random.nextInt(60_000);
            fill(random, length);
            int room = compressor().maxCompressedLength(length);
            int packedLength = compressor().compress(raw, 0, length, packed, 16, room);
            assertTrue(packedLength >= 0 && packedLength <= room, "packed length " + packedLength);

            assertEquals(length, decompress(packedLength, length));
            assertEquals(new UnsafeBuffer(raw, 0, length), new UnsafeBuffer(unpacked, GUARD, length));
        });
    }

    @Test
    void refusesTooLittleRoomToCompress() {
        fill(new SplittableRandom(1), 1000);

        assertEquals(
                -1, compressor().compress(raw, 0, 1000, packed, 0, compressor().maxCompressedLength(1000) - 1));
        assertEquals(-1, compressor().compress(raw, 0, 1000, packed, 0, 0));
    }

    @Test
    void refusesEveryTruncation() {
        int length = 700;
        fill(new SplittableRandom(2), length);
        int packedLength = compressor().compress(raw, 0, length, packed, 16, packed.capacity() - 16);

        for (int cut = 0; cut < packedLength; cut++) {
            assertEquals(-1, decompress(cut, length), "cut at " + cut);
        }
    }

    @Test
    void refusesAnotherLength() {
        int length = 700;
        fill(new SplittableRandom(3), length);
        int packedLength = compressor().compress(raw, 0, length, packed, 16, packed.capacity() - 16);

        assertEquals(-1, decompress(packedLength, length - 1));
        assertEquals(-1, decompress(packedLength, length + 1));
        assertEquals(-1, decompress(packedLength, 0));
        assertEquals(length, decompress(packedLength, length));
        Property.holds(2_000, random -> {
            int other = random.nextInt(60_000);
            assertEquals(other == length ? length : -1, decompress(packedLength, other), "expected " + other);
        });
    }

    @Test
    void refusesMoreThanItsRoom() {
        int length = 1 << 16;
        raw.setMemory(0, length, (byte) 0);
        int packedLength = compressor().compress(raw, 0, length, packed, 16, packed.capacity() - 16);

        for (int room : new int[] {0, 1, 63, 64, 65, 1000, 4096, length / 2, length - 1}) {
            assertEquals(-1, decompress(packedLength, room), "room " + room);
        }
    }

    @Test
    void survivesEveryFlippedBit() {
        int length = 700;
        fill(new SplittableRandom(4), length);
        int packedLength = compressor().compress(raw, 0, length, packed, 16, packed.capacity() - 16);

        for (int bit = 0; bit < packedLength * 8; bit++) {
            int at = 16 + bit / 8;
            byte valid = packed.getByte(at);
            packed.putByte(at, (byte) (valid ^ 1 << bit % 8));
            int written = decompress(packedLength, length);
            assertTrue(written == -1 || written == length);
            packed.putByte(at, valid);
        }
    }

    @Test
    void survivesBytesThatBeginWell() {
        int length = 3000;
        fill(new SplittableRandom(5), length);
        int packedLength = compressor().compress(raw, 0, length, packed, 16, packed.capacity() - 16);
        byte[] valid = new byte[packedLength];
        packed.getBytes(16, valid);

        Property.holds(5_000, random -> {
            packed.putBytes(16, valid);
            for (int i = random.nextInt(packedLength); i < packedLength; i++) {
                packed.putByte(16 + i, (byte) random.nextInt());
            }
            int expected = random.nextBoolean() ? length : random.nextInt(60_000);
            int written = decompress(packedLength, expected);
            assertTrue(written == -1 || written == expected);
        });
    }

    @Test
    void survivesRubbish() {
        Property.holds(20_000, random -> {
            int length = random.nextInt(64);
            for (int i = 0; i < length; i++) {
                packed.putByte(16 + i, (byte) random.nextInt());
            }
            int expected = random.nextInt(200);
            int written = decompress(length, expected);
            assertTrue(written == -1 || written == expected);
        });
    }

    /** Decompresses from offset 16 into the room between the guards and checks those. */
    private int decompress(int packedLength, int expected) {
        unpacked.setMemory(0, GUARD, GUARD_BYTE);
        unpacked.setMemory(GUARD + expected, GUARD, GUARD_BYTE);
        int written = compressor().decompress(packed, 16, packedLength, unpacked, GUARD, expected);
        for (int i = 0; i < GUARD; i++) {
            assertEquals(GUARD_BYTE, unpacked.getByte(i), "guard before");
            assertEquals(GUARD_BYTE, unpacked.getByte(GUARD + expected + i), "guard behind");
        }
        return written;
    }

    /** Runs of zeros between random bytes, like a sparse block. */
    private void fill(SplittableRandom random, int length) {
        int density = random.nextInt(1, 16);
        for (int i = 0; i < length; i++) {
            raw.putByte(i, random.nextInt(16) < density ? (byte) random.nextInt() : 0);
        }
    }
}
