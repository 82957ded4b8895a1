package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.messaging.counters.CounterType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Trains are split by the length that the kernel gives, which is checked. */
class TrainReceiverTest {
    private static final int HEADER = 64;
    private static final int GRO = 104;
    private static final int CONTROL_MESSAGE = 20;
    private static final int CONTROL_SPACE = 24;

    private final FakeSockets calls = new FakeSockets();
    private final CountersOfADriver counters = new CountersOfADriver();
    private final TrainReceiver receiver = new TrainReceiver(calls, counters.udp);
    private final List<String> seen = new ArrayList<>();
    private final List<InetSocketAddress> sources = new ArrayList<>();

    /** The kernel's side of one message. */
    private record Slot(UnsafeBuffer header, UnsafeBuffer name, UnsafeBuffer control, UnsafeBuffer data) {
        static Slot at(long headers, int index) {
            UnsafeBuffer header = new UnsafeBuffer(headers + (long) index * HEADER, HEADER);
            UnsafeBuffer part = new UnsafeBuffer(header.getLong(16), 16);
            assertEquals(32, header.getInt(8), "room for an address");
            assertEquals(64, header.getLong(40), "room for control messages");
            return new Slot(
                    header,
                    new UnsafeBuffer(header.getLong(0), header.getInt(8)),
                    new UnsafeBuffer(header.getLong(32), (int) header.getLong(40)),
                    new UnsafeBuffer(part.getLong(0), (int) part.getLong(8)));
        }

        /** A message from 10.0.0.1 with bytes 0, 1, 2, ... and no control messages. */
        Slot filled(int length) {
            for (int i = 0; i < Math.min(length, data.capacity()); i++) {
                data.putByte(i, (byte) i);
            }
            header.putInt(56, length);
            header.putLong(40, 0);
            header.putInt(8, 16);
            name.putShort(0, (short) 2);
            name.putShort(2, (short) 40_100, ByteOrder.BIG_ENDIAN);
            name.putInt(4, 0x0A000001, ByteOrder.BIG_ENDIAN);
            return this;
        }

        Slot control(long total, long length, int level, int type, int value) {
            header.putLong(40, total);
            control.putLong(0, length);
            control.putInt(8, level);
            control.putInt(12, type);
            control.putInt(16, value);
            return this;
        }

        Slot train(int segment) {
            return control(CONTROL_SPACE, CONTROL_MESSAGE, 17, GRO, segment);
        }

        Slot flags(int flags) {
            header.putInt(48, flags);
            return this;
        }
    }

    private int receive(Consumer<Slot> kernel) {
        calls.receiving = headers -> {
            kernel.accept(Slot.at(headers, 0));
            return 1;
        };
        return receiver.receive(7, this::note);
    }

    private void note(UnsafeBuffer packet, int length, InetSocketAddress source) {
        seen.add((packet.getByte(0) & 0xFF) + "+" + length);
        sources.add(source);
    }

    @Test
    void aTrainIsSplitAndItsLastDatagramMayBeShorter() {
        assertEquals(100, receive(slot -> slot.filled(100).train(32)));
        assertEquals(List.of("0+32", "32+32", "64+32", "96+4"), seen);
        assertEquals(4, counters.value(CounterType.DRIVER_DATAGRAMS_RECEIVED));
        assertEquals(1, counters.value(CounterType.DRIVER_RECEIVES));
        assertEquals(new InetSocketAddress("10.0.0.1", 40_100), sources.getFirst());
        assertSame(sources.getFirst(), sources.getLast());
        assertSame(sources.getFirst(), receiver.source());
    }

    @Test
    void aDatagramWithoutControlMessageIsOne() {
        receive(slot -> slot.filled(100));
        assertEquals(List.of("0+100"), seen);
    }

    @Test
    void severalMessagesOfACallAreTakenInOrder() {
        calls.receiving = headers -> {
            Slot.at(headers, 0).filled(64).train(32);
            Slot.at(headers, 1).filled(10);
            return 2;
        };
        assertEquals(74, receiver.receive(7, this::note));
        assertEquals(List.of("0+32", "32+32", "0+10"), seen);
        calls.receiving = headers -> {
            Slot.at(headers, 0).filled(5);
            Slot.at(headers, 1);
            return 1;
        };
        assertEquals(5, receiver.receive(7, this::note), "what was used is ready to be used again");
    }

    @Test
    void anotherControlMessageMayComeFirst() {
        receive(slot -> {
            slot.filled(64).control(2 * CONTROL_SPACE, 20, 1, 29, 77);
            slot.control().putLong(CONTROL_SPACE, CONTROL_MESSAGE);
            slot.control().putInt(CONTROL_SPACE + 8, 17);
            slot.control().putInt(CONTROL_SPACE + 12, GRO);
            slot.control().putInt(CONTROL_SPACE + 16, 32);
        });
        assertEquals(List.of("0+32", "32+32"), seen);
    }

    @Test
    void segmentsLongerThanTheMessageAreOneDatagram() {
        receive(slot -> slot.filled(100).train(1_400));
        assertEquals(List.of("0+100"), seen);
    }

    @ParameterizedTest
    @CsvSource({
        "24, 20, 0", // no length of segments
        "24, 20, -5",
        "24, 16, 32", // the length is cut off
        "24, 8, 32", // shorter than its own header
        "24, 0, 32",
        "24, -1, 32",
        "24, 25, 32", // longer than all of them
        "24, 9223372036854775807, 32",
        "65, 20, 32", // longer than the room
        "-1, 20, 32"
    })
    void controlMessagesThatCannotBeAreNotFollowed(long total, long length, int segment) {
        assertEquals(0, receive(slot -> slot.filled(100).control(total, length, 17, GRO, segment)));
        assertEquals(List.of(), seen);
        assertEquals(1, counters.value(CounterType.DRIVER_RECEIVE_FAILURES));
    }

    @ParameterizedTest
    @CsvSource({"8", "32", "40"})
    void whatIsCutOffIsDropped(int flags) {
        assertEquals(0, receive(slot -> slot.filled(100).train(32).flags(flags)));
        assertEquals(1, counters.value(CounterType.DRIVER_RECEIVE_FAILURES));
    }

    @ParameterizedTest
    @CsvSource({"-1", "0", "65537", "2147483647"})
    void lengthsThatCannotBeAreDropped(int length) {
        assertEquals(0, receive(slot -> slot.filled(length)));
        assertEquals(List.of(), seen);
        assertEquals(1, counters.value(CounterType.DRIVER_RECEIVE_FAILURES));
    }

    @Test
    void aSourceThatIsNoInternetAddressIsDropped() {
        assertEquals(0, receive(slot -> slot.filled(100).name().putShort(0, (short) 1)));
        assertEquals(0, receive(slot -> slot.filled(100).header().putInt(8, 0)));
        assertEquals(2, counters.value(CounterType.DRIVER_RECEIVE_FAILURES));
        assertNull(receiver.source());
    }

    @ParameterizedTest
    @CsvSource({"0", "-4", "-11", "-111"})
    void nothingToReceiveIsNoError(int answer) {
        calls.receiving = headers -> answer;
        assertEquals(0, receiver.receive(7, this::note));
        assertEquals(0, counters.value(CounterType.DRIVER_RECEIVES));
    }

    @Test
    void otherErrorsAreThrownToThePoller() {
        calls.receiving = headers -> -9;
        IOException thrown = assertThrows(IOException.class, () -> receiver.receive(7, this::note));
        assertEquals("error 9 of recvmmsg", thrown.getMessage());
    }
}
