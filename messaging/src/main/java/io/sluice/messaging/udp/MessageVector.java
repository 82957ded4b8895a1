package io.sluice.messaging.udp;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The array of {@code struct mmsghdr} that {@code sendmmsg} and {@code recvmmsg} take, each with one part, and room for
 * an address and for control messages. The layout is that of Linux on 64-bit machines.
 */
final class MessageVector {
    /** UDP's level of options and control messages. */
    static final int SOL_UDP = 17;

    /** Type of the control message, and the option, with the length of the segments to send. */
    static final int UDP_SEGMENT = 103;

    /** Type of the control message with the length of the segments received, and the option that requests it. */
    static final int UDP_GRO = 104;

    /** Number of bytes for an address: {@code sockaddr_in6} has 28. */
    static final int ADDRESS_LENGTH = 32;

    /** Number of bytes reserved in each entry of the vector for its control messages ({@code cmsghdr}). */
    static final int CONTROL_LENGTH = 64;

    /** Flag that the kernel sets if the datagram did not fit its buffer. */
    private static final int TRUNCATED = 0x20;

    /** Flag that the kernel sets if control messages did not fit. */
    private static final int CONTROL_TRUNCATED = 0x8;

    // struct mmsghdr: a struct msghdr and the number of bytes sent or received
    private static final int NAME = 0;
    private static final int NAME_LENGTH = 8;
    private static final int PARTS = 16;
    private static final int PART_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_SIZE = 40;
    private static final int FLAGS = 48;
    private static final int TRANSFERRED = 56;
    private static final int HEADER_LENGTH = 64;

    // struct iovec
    private static final int PART_LENGTH = 8;
    private static final int PART_SIZE = 16;

    // struct cmsghdr and the data that follows it
    private static final int MESSAGE_LEVEL = 8;
    private static final int MESSAGE_TYPE = 12;
    private static final int MESSAGE_DATA = 16;
    private static final int ALIGNMENT = 8;
    private static final int SEGMENT_MESSAGE = MESSAGE_DATA + Short.BYTES;
    private static final int SEGMENT_SPACE = MESSAGE_DATA + ALIGNMENT;

    private final ByteBuffer memory;
    private final UnsafeBuffer words;
    private final long address;
    private final int parts;
    private final int names;
    private final int controls;

    /**
     * Creates an empty vector.
     *
     * @param capacity maximum number of messages
     */
    MessageVector(int capacity) {
        parts = capacity * HEADER_LENGTH;
        names = parts + capacity * PART_SIZE;
        controls = names + capacity * ADDRESS_LENGTH;
        memory = BufferUtil.allocateDirectAligned(controls + capacity * CONTROL_LENGTH, HEADER_LENGTH);
        words = new UnsafeBuffer(memory);
        address = words.addressOffset();
        for (int i = 0; i < capacity; i++) {
            words.putLong(header(i) + PARTS, address + part(i));
            words.putLong(header(i) + PART_COUNT, 1);
        }
    }

    private static int header(int index) {
        return index * HEADER_LENGTH;
    }

    private int part(int index) {
        return parts + index * PART_SIZE;
    }

    private int control(int index) {
        return controls + index * CONTROL_LENGTH;
    }

    private int nameOf(int index) {
        return names + index * ADDRESS_LENGTH;
    }

    /** The address of the vector for system calls. */
    long address() {
        return address;
    }

    /**
     * Sets a message to send to the connected peer.
     *
     * @param from    address of its first byte
     * @param length  bytes
     * @param segment bytes of each segment except the last; 0 if it is not segmented
     */
    void put(int index, long from, int length, int segment) {
        words.putLong(part(index), from);
        words.putLong(part(index) + PART_LENGTH, length);
        if (segment == 0) {
            words.putLong(header(index) + CONTROL, 0);
            words.putLong(header(index) + CONTROL_SIZE, 0);
        } else {
            int control = control(index);
            words.putLong(header(index) + CONTROL, address + control);
            words.putLong(header(index) + CONTROL_SIZE, SEGMENT_SPACE);
            words.putLong(control, SEGMENT_MESSAGE);
            words.putInt(control + MESSAGE_LEVEL, SOL_UDP);
            words.putInt(control + MESSAGE_TYPE, UDP_SEGMENT);
            words.putShort(control + MESSAGE_DATA, (short) segment);
        }
    }

    /** Sets the buffer of a message to receive; call {@link #expect} afterwards. */
    void room(int index, long to, int length) {
        words.putLong(part(index), to);
        words.putLong(part(index) + PART_LENGTH, length);
        words.putLong(header(index) + NAME, address + nameOf(index));
        words.putLong(header(index) + CONTROL, address + control(index));
    }

    /** Makes a message ready to be received: the kernel has changed its lengths if it was used. */
    void expect(int index) {
        words.putInt(header(index) + NAME_LENGTH, ADDRESS_LENGTH);
        words.putLong(header(index) + CONTROL_SIZE, CONTROL_LENGTH);
        words.putInt(header(index) + FLAGS, 0);
    }

    /** Number of bytes of a received message. */
    int length(int index) {
        return words.getInt(header(index) + TRANSFERRED);
    }

    /** Whether a received message is complete, with all of its control data. */
    boolean isWhole(int index) {
        return (words.getInt(header(index) + FLAGS) & (TRUNCATED | CONTROL_TRUNCATED)) == 0;
    }

    /**
     * Number of bytes of each segment of a received message except the last.
     *
     * @return the length of the message if it is a single datagram; 0 if its control messages are not valid
     */
    int segment(int index) {
        int length = length(index);
        int control = control(index);
        long left = words.getLong(header(index) + CONTROL_SIZE);
        if (left < 0 || left > CONTROL_LENGTH) {
            return 0;
        }
        int at = control;
        while (left >= MESSAGE_DATA) {
            long size = words.getLong(at);
            if (size < MESSAGE_DATA || size > left) {
                return 0;
            }
            if (words.getInt(at + MESSAGE_LEVEL) == SOL_UDP && words.getInt(at + MESSAGE_TYPE) == UDP_GRO) {
                return segment(size - MESSAGE_DATA, at + MESSAGE_DATA, length);
            }
            int step = (int) (size + ALIGNMENT - 1) & -ALIGNMENT;
            at += step;
            left -= step;
        }
        return length;
    }

    private int segment(long size, int at, int length) {
        int segment = size >= Integer.BYTES ? words.getInt(at) : 0;
        return segment < 0 ? 0 : Math.min(segment, length);
    }

    /** The offset of a received message's address in {@link #words}. */
    int addressAt(int index) {
        return nameOf(index);
    }

    /** Number of bytes of the address of a received message. */
    int addressLength(int index) {
        return words.getInt(header(index) + NAME_LENGTH);
    }

    /** All memory of the vector. */
    UnsafeBuffer words() {
        return words;
    }
}
