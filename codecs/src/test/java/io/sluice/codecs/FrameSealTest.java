package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An opener accepts exactly the frames that were sealed. */
class FrameSealTest {
    private static final int EPOCH = 3;
    private static final int NODE = 2;
    private static final int RECEIVER = 1;
    private static final int ELEMENTS = 500;
    private static final long ADDRESSEE = 0x2122232425262728L;

    private final KeySchedule keys = SampleFrame.keys();
    private final FrameValidator validator =
            new FrameValidator(SampleFrame.CLUSTER, new FrameChecksum()).sealed(SealRule.SEALED);
    private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);

    @ParameterizedTest
    @ValueSource(strings = {"DATA", "ROUND_COMMIT", "HEARTBEAT", "ERROR"})
    void sealedFramesMatchTheGoldenBytes(String name) {
        GoldenFrame bare = GoldenFrame.named("DATA".equals(name) ? "INDEX-F32-three" : name);
        byte[] expected = HexFormat.of()
                .parseHex(GoldenLines.of("seals.txt").stream()
                        .filter(words -> words[0].equals("SEALED-" + name))
                        .findFirst()
                        .orElseThrow()[1]);
        UnsafeBuffer golden = new UnsafeBuffer(expected);
        int audience = SealTrailer.audience(golden, expected.length);
        FrameSeal seal = sealOf(SealTrailer.lane(golden, expected.length)).to(audience);
        boolean isAddressed = audience == SealTrailer.ADDRESSEE;
        seal = isAddressed ? seal.toAddressee(ADDRESSEE) : seal;
        byte[] sealed = new byte[0];
        for (long counter = 0; counter < SealTrailer.counter(golden, expected.length); counter++) {
            sealed = sealed(seal, bare.bytes());
        }

        assertArrayEquals(expected, sealed, HexFormat.of().formatHex(sealed));
        FrameOpener opener = isAddressed
                ? FrameOpener.ofAddressee(keys, SampleFrame.CLUSTER, ADDRESSEE, frame.capacity())
                : new FrameOpener(keys, SampleFrame.CLUSTER, audience, frame.capacity());
        opener.admit(NODE, EPOCH, SampleFrame.NONCE);
        assertNull(receive(opener, sealed));
        assertOpened(bare.bytes(), opener);
    }

    @Test
    void aFrameForOneNodeIsRejectedByAnother() {
        byte[] commit = GoldenFrame.named("ROUND_COMMIT").bytes();
        FrameOpener opener = opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE);
        FrameSeal seal = sealOf(0);

        assertEquals(Rejection.REPLAYED, receive(opener, sealed(seal.to(RECEIVER + 1), commit)));
        assertNull(receive(opener, sealed(seal.to(RECEIVER), commit)));
        assertNull(receive(opener, sealed(seal.to(SealTrailer.EVERY_NODE), commit)));
    }

    @Test
    void aFrameForOneJoinNonceIsRejectedForAnother() {
        byte[] error = GoldenFrame.named("ERROR").bytes();
        FrameSeal seal = sealOf(0);
        byte[] sealed = sealed(seal.toAddressee(ADDRESSEE), error);
        FrameOpener other = FrameOpener.ofAddressee(keys, SampleFrame.CLUSTER, ADDRESSEE + 1, frame.capacity());
        FrameOpener addressee = FrameOpener.ofAddressee(keys, SampleFrame.CLUSTER, ADDRESSEE, frame.capacity());
        other.admit(NODE, EPOCH, SampleFrame.NONCE);
        addressee.admit(NODE, EPOCH, SampleFrame.NONCE);

        assertEquals(Rejection.BAD_SEAL, receive(other, sealed));
        assertEquals(Rejection.REPLAYED, receive(opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE), sealed));
        assertNull(receive(addressee, sealed));
        assertOpened(error, addressee);
        assertEquals(Rejection.REPLAYED, receive(addressee, sealed(seal.to(SealTrailer.EVERY_NODE), error)));
    }

    @Test
    void everyGoldenFrameIsOpened() {
        FrameSeal seal = sealOf(0);
        FrameOpener opener = opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE);
        int sent = 0;
        for (GoldenFrame golden : GoldenFrame.all()) {
            if (golden.bytes().length <= frame.capacity() - SealTrailer.LENGTH) {
                assertNull(receive(opener, sealed(seal, golden.bytes())), golden.name());
                assertOpened(golden.bytes(), opener);
                sent++;
            }
        }
        assertTrue(sent > 50, "only " + sent + " frames were short enough");
    }

    @Test
    void payloadsCannotBeRead() {
        byte[] bare = GoldenFrame.named("INDEX-F32-three").bytes();
        FrameSeal seal = sealOf(0);
        byte[] first = sealed(seal, bare);
        byte[] second = sealed(seal, bare);

        assertFalse(Arrays.equals(payload(bare), payload(first)));
        assertFalse(Arrays.equals(payload(first), payload(second)), "equal payloads look different");
        assertArrayEquals(header(bare), header(first), "the header is unchanged except for its checksum");
    }

    @Test
    void everyFlippedBitIsRejected() {
        FrameOpener opener = opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE);
        FrameChecksum checksum = new FrameChecksum();
        FrameSeal seal = sealOf(0);
        for (String name :
                List.of("INDEX-F32-three", "DELTA-BF16_PACKED-curve", "ROUND_COMMIT", "HEARTBEAT", "DECLARATION")) {
            byte[] sealed = sealed(seal, GoldenFrame.named(name).bytes());
            for (int bit = 0; bit < sealed.length * Byte.SIZE; bit++) {
                byte[] flipped = sealed.clone();
                flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                boolean inChecksum = bit / Byte.SIZE >= Frame.CHECKSUM_OFFSET && bit / Byte.SIZE < Frame.CHECKSUM_END;
                if (!inChecksum) {
                    checksum.write(new UnsafeBuffer(flipped), 0, flipped.length); // as an attacker would
                }
                int flippedBit = bit;
                assertNotNull(
                        receive(opener, flipped), () -> name + ": the flipped bit " + flippedBit + " was not detected");
            }
            assertNull(receive(opener, sealed), "a forged copy does not block the genuine frame");
        }
    }

    @Test
    void randomDamageIsRejected() {
        FrameChecksum checksum = new FrameChecksum();
        Property.holds(300, random -> {
            FrameOpener opener = opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE);
            byte[] sealed = sealed(sealOf(0), dataFrame(random));
            byte[] other = sealed(sealOf(0), dataFrame(random));
            byte[] damaged = sealed.clone();
            switch (random.nextInt(3)) {
                case 0 -> { // a piece of another frame
                    int from = random.nextInt(Math.min(sealed.length, other.length) - 1);
                    int to = random.nextInt(from + 1, Math.min(sealed.length, other.length));
                    System.arraycopy(other, from, damaged, from, to - from);
                }
                case 1 -> // bytes out of place
                    System.arraycopy(sealed, 70, damaged, 66, Math.min(10, sealed.length - 70));
                default -> damaged[random.nextInt(damaged.length)] += (byte) random.nextInt(1, 256);
            }
            checksum.write(new UnsafeBuffer(damaged), 0, damaged.length);
            Rejection rejection = receive(opener, damaged);
            boolean whole = Arrays.equals(damaged, sealed) || Arrays.equals(damaged, other);
            assertEquals(whole, rejection == null, () -> "rejected for " + rejection);
        });
    }

    @Test
    void onlyTheSendersKeyOpensAFrame() {
        byte[] sealed = sealed(sealOf(0), GoldenFrame.named("ROUND_COMMIT").bytes());
        KeySchedule foreign = new KeySchedule(ClusterSecret.of(new byte[32]));
        FrameOpener ofForeignSecret = new FrameOpener(foreign, SampleFrame.CLUSTER, RECEIVER, 1_000);
        ofForeignSecret.admit(NODE, EPOCH, SampleFrame.NONCE);

        assertEquals(Rejection.BAD_SEAL, receive(ofForeignSecret, sealed));
        assertEquals(Rejection.BAD_SEAL, receive(opener(1, EPOCH, NODE, SampleFrame.NONCE), sealed));
        assertEquals(
                Rejection.BAD_SEAL,
                receive(opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE + 1), sealed),
                "sealed by the previous incarnation of the node");
        assertEquals(
                Rejection.BAD_SEAL, receive(opener(SampleFrame.CLUSTER, EPOCH - 1, NODE, SampleFrame.NONCE), sealed));
        assertEquals(
                Rejection.STALE_EPOCH,
                receive(opener(SampleFrame.CLUSTER, EPOCH + 1, NODE, SampleFrame.NONCE), sealed));
        assertEquals(
                Rejection.UNKNOWN_ORIGIN, receive(opener(SampleFrame.CLUSTER, EPOCH, 1, SampleFrame.NONCE), sealed));
    }

    @Test
    void aSenderCannotSealForAnotherOrigin() {
        byte[] commit = GoldenFrame.named("ROUND_COMMIT").bytes().clone();
        new UnsafeBuffer(commit).putShort(Frame.ORIGIN_OFFSET, (short) 1);
        FrameOpener opener = opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE);
        opener.admit(1, EPOCH, SampleFrame.NONCE);

        assertEquals(Rejection.BAD_SEAL, receive(opener, sealed(sealOf(0), commit)));
    }

    @Test
    void aControlFrameIsAcceptedOnceAndADataFrameAnyNumberOfTimes() {
        FrameOpener opener = opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE);
        FrameSeal seal = sealOf(0);
        byte[] heartbeat = sealed(seal, GoldenFrame.named("HEARTBEAT").bytes());
        byte[] leave = sealed(seal, GoldenFrame.named("LEAVE").bytes());
        byte[] data = sealed(seal, GoldenFrame.named("INDEX-F32-three").bytes());

        assertNull(receive(opener, leave), "frames may overtake one another");
        assertNull(receive(opener, heartbeat));
        assertEquals(Rejection.REPLAYED, receive(opener, heartbeat));
        assertEquals(Rejection.REPLAYED, receive(opener, leave));
        assertNull(receive(opener, data));
        assertNull(receive(opener, data));
    }

    @Test
    void aDeferredFrameMayArriveAgainAfterOthers() {
        FrameOpener opener = opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE);
        FrameSeal seal = sealOf(0);
        byte[] leave = sealed(seal, GoldenFrame.named("LEAVE").bytes());
        UnsafeBuffer deferred = new UnsafeBuffer(leave);

        assertNull(opener.open(deferred, 0, leave.length));
        assertNull(receive(opener, sealed(seal, GoldenFrame.named("HEARTBEAT").bytes())));
        assertNull(opener.open(deferred, 0, leave.length));
        assertNull(receive(
                opener, sealed(seal, GoldenFrame.named("INDEX-F32-three").bytes())));
        assertNull(receive(opener, leave));
        assertEquals(Rejection.REPLAYED, receive(opener, leave));
    }

    @Test
    void aFrameIsAcceptedAtMostOnceInAnyOrder() {
        Property.holds(50, random -> {
            FrameOpener opener = opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE);
            FrameSeal[] lanes = {sealOf(0), sealOf(1)};
            List<byte[]> sent = new ArrayList<>();
            Set<Integer> seen = ConcurrentHashMap.newKeySet();
            byte[] heartbeat = GoldenFrame.named("HEARTBEAT").bytes();
            for (int i = 0; i < 3_000; i++) {
                if (random.nextInt(20) == 0) {
                    skip(lanes[0], random.nextInt(200), heartbeat); // frames for other nodes
                }
                sent.add(sealed(lanes[random.nextInt(2)], heartbeat));
                int at = Math.max(0, sent.size() - 1 - random.nextInt(100));
                Rejection rejection = receive(opener, sent.get(at));
                boolean first = seen.add(at);
                if (!first) {
                    assertEquals(Rejection.REPLAYED, rejection);
                }
            }
            for (byte[] each : sent.subList(0, 1_000)) {
                receive(opener, each);
                assertEquals(
                        Rejection.REPLAYED, receive(opener, each), "an old frame, whether or not it arrived before");
            }
        });
    }

    @Test
    void noNonceIsUsedTwice() throws InterruptedException {
        Set<List<Object>> used = ConcurrentHashMap.newKeySet();
        List<Thread> threads = new ArrayList<>();
        int perThread = 2_000;
        for (int restart = 0; restart < 3; restart++) {
            SenderSeals seals = new SenderSeals(keys.sender(SampleFrame.CLUSTER, EPOCH, NODE, restart));
            byte[] key = keys.sender(SampleFrame.CLUSTER, EPOCH, NODE, restart).getEncoded();
            for (int thread = 0; thread < 8; thread++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    FrameSeal seal = seals.newSeal();
                    byte[] commit = GoldenFrame.named("ROUND_COMMIT").bytes();
                    FrameBuffer room = new FrameBuffer(commit.length + SealTrailer.LENGTH);
                    for (int i = 0; i < perThread; i++) {
                        room.buffer().putBytes(0, commit);
                        int end = seal.finish(room.buffer(), 0, commit.length);
                        int lane = SealTrailer.lane(room.buffer(), end);
                        long counter = SealTrailer.counter(room.buffer(), end);
                        used.add(List.of(Arrays.hashCode(key), lane, counter));
                    }
                }));
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertEquals(3 * 8 * perThread, used.size());
    }

    @Test
    void anUnsealedStreamHasOnlyTheChecksum() {
        byte[] bare = GoldenFrame.named("ROUND_COMMIT").bytes();

        assertArrayEquals(bare, sealed(FrameSeal.checksumOnly(), bare));
        assertEquals(
                Rejection.NOT_SEALED,
                receive(opener(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE), bare),
                "a sealed stream rejects a frame without a seal");
    }

    @ParameterizedTest
    @EnumSource
    void aMixedStreamAcceptsBoth(SampleFrame sample) {
        FrameValidator either = new FrameValidator(SampleFrame.CLUSTER, new FrameChecksum()).sealed(SealRule.EITHER);
        FrameBuffer room = new FrameBuffer(1_000);
        int length = sample.encode(room);
        boolean everSealed = sample != SampleFrame.JOIN && !sample.isProved();

        assertNull(either.validate(room.buffer(), 0, length));
        int whole = sealOf(0).finish(room.buffer(), 0, length);
        assertEquals(everSealed ? null : Rejection.BAD_LENGTH, either.validate(room.buffer(), 0, whole));
    }

    @Test
    void aFrameWithoutRoomForItsSealIsNotChanged() {
        byte[] commit = GoldenFrame.named("ROUND_COMMIT").bytes();
        UnsafeBuffer tight = new UnsafeBuffer(commit.clone());

        assertThrows(IndexOutOfBoundsException.class, () -> sealOf(0).finish(tight, 0, commit.length));
        assertArrayEquals(commit, tight.byteArray());
    }

    private FrameSeal sealOf(int lane) {
        SenderSeals seals = new SenderSeals(keys.sender(SampleFrame.CLUSTER, EPOCH, NODE, SampleFrame.NONCE));
        FrameSeal seal = seals.newSeal();
        for (int i = 0; i < lane; i++) {
            seal = seals.newSeal();
        }
        return seal;
    }

    private FrameOpener opener(long cluster, int epoch, int node, long nonce) {
        FrameOpener opener = new FrameOpener(keys, cluster, RECEIVER, frame.capacity());
        opener.admit(node, epoch, nonce);
        return opener;
    }

    private byte[] sealed(FrameSeal seal, byte[] bare) {
        frame.buffer().putBytes(0, bare);
        byte[] sealed = new byte[seal.finish(frame.buffer(), 0, bare.length)];
        frame.buffer().getBytes(0, sealed);
        return sealed;
    }

    private void skip(FrameSeal seal, int frames, byte[] bare) {
        for (int i = 0; i < frames; i++) {
            sealed(seal, bare);
        }
    }

    private byte[] dataFrame(SplittableRandom random) {
        Block block = frame.room(new Block());
        int elements = random.nextInt(1, ELEMENTS + 1);
        for (int i = 0; i < elements; i++) {
            frame.buffer().putInt(Frame.DATA_LENGTH + i * Float.BYTES, random.nextInt());
        }
        block.set(BlockFormat.DENSE, ValueType.F32, elements, elements, elements * Float.BYTES);
        int length = new DataFrameEncoder(ELEMENTS)
                .compose(frame, SampleFrame.dataHeader(), block, PayloadCompressor.never());
        byte[] bytes = new byte[length];
        frame.buffer().getBytes(0, bytes);
        return bytes;
    }

    /** Validates a frame as an inbox does. */
    private Rejection receive(FrameOpener opener, byte[] bytes) {
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        Rejection rejection = validator.validate(buffer, 0, bytes.length);
        rejection = rejection == null ? opener.open(buffer, 0, bytes.length) : rejection;
        if (rejection == null) {
            opener.taken();
        }
        return rejection;
    }

    private static void assertOpened(byte[] bare, FrameOpener opener) {
        byte[] opened = new byte[opener.length()];
        opener.frame().getBytes(0, opened);
        System.arraycopy(bare, Frame.CHECKSUM_OFFSET, opened, Frame.CHECKSUM_OFFSET, Integer.BYTES);
        assertArrayEquals(bare, opened);
    }

    private static byte[] payload(byte[] data) {
        return Arrays.copyOfRange(data, Frame.DATA_LENGTH, 84);
    }

    private static byte[] header(byte[] data) {
        byte[] header = Arrays.copyOf(data, Frame.DATA_LENGTH);
        Arrays.fill(header, Frame.CHECKSUM_OFFSET, Frame.CHECKSUM_END, (byte) 0);
        return header;
    }
}
