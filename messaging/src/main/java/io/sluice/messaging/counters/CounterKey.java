package io.sluice.messaging.counters;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * The content of the key of each counter of Sluice. Layout, in the byte order of the machine like all of Aeron's keys:
 *
 * <pre>
 *   0  int32  magic {@code 0x534C4331}, which changes with the layout
 *   4  int32  process id
 *   8  int64  registration id of the Aeron publication or subscription, or 0
 *  16  int32  Aeron session id of the link, or 0
 *  20  int32  Aeron stream id, or 0
 *  24  int32  bytes of the name, then the name in ASCII
 *   .  int32  bytes of the detail, then the detail in ASCII, not aligned
 * </pre>
 *
 * Other programs may use the same type ids: a key without this value is not Sluice's.
 *
 * @param processId process id of the process that counts.
 * @param registrationId registration id by which Aeron's own counters of the same stream are found; 0 for agents and
 *                       nodes.
 * @param sessionId session id of a link, otherwise 0.
 * @param streamId stream id of a link or inbox, otherwise 0.
 * @param name name of the link, inbox, agent or node; cut to {@link #MAX_NAME} characters.
 * @param detail kind of frames, reason or class; empty for types that have none.
 */
public record CounterKey(int processId, long registrationId, int sessionId, int streamId, String name, String detail) {
    /** Maximum length of a name in a key; the label holds the full name. */
    public static final int MAX_NAME = 52;

    /** Maximum length of a detail. */
    public static final int MAX_DETAIL = 28;

    private static final int MAGIC = 0x534C4331;
    private static final int PROCESS_OFFSET = 4;
    private static final int REGISTRATION_OFFSET = 8;
    private static final int SESSION_OFFSET = 16;
    private static final int STREAM_OFFSET = 20;
    private static final int NAME_OFFSET = 24;

    /** The key of an object in this process. */
    static CounterKey here(long registrationId, int sessionId, int streamId, String name) {
        int processId = (int) ProcessHandle.current().pid();
        return new CounterKey(processId, registrationId, sessionId, streamId, name, "");
    }

    CounterKey withDetail(String other) {
        return new CounterKey(processId, registrationId, sessionId, streamId, name, other);
    }

    /** Writes the key; returns its length. */
    int encode(MutableDirectBuffer buffer) {
        buffer.putInt(0, MAGIC);
        buffer.putInt(PROCESS_OFFSET, processId);
        buffer.putLong(REGISTRATION_OFFSET, registrationId);
        buffer.putInt(SESSION_OFFSET, sessionId);
        buffer.putInt(STREAM_OFFSET, streamId);
        int end = NAME_OFFSET + buffer.putStringAscii(NAME_OFFSET, cut(name, MAX_NAME));
        return end + buffer.putStringAscii(end, cut(detail, MAX_DETAIL));
    }

    /**
     * Reads a key.
     *
     * @param buffer buffer holding nothing but the key, as {@link CountersReader#forEach(CountersReader.MetaData)}
     *               gives it.
     * @return the key, which is printable, or null if it is not Sluice's.
     */
    public static CounterKey decode(DirectBuffer buffer) {
        if (buffer.capacity() < NAME_OFFSET + 2 * Integer.BYTES || buffer.getInt(0) != MAGIC) {
            return null;
        }
        int nameLength = buffer.getInt(NAME_OFFSET);
        int room = buffer.capacity() - NAME_OFFSET - 2 * Integer.BYTES;
        if (nameLength < 0 || nameLength > Math.min(MAX_NAME, room)) {
            return null;
        }
        int detailOffset = NAME_OFFSET + Integer.BYTES + nameLength;
        int detailLength = buffer.getInt(detailOffset);
        if (detailLength < 0 || detailLength > Math.min(MAX_DETAIL, room - nameLength)) {
            return null;
        }
        return new CounterKey(
                buffer.getInt(PROCESS_OFFSET),
                buffer.getLong(REGISTRATION_OFFSET),
                buffer.getInt(SESSION_OFFSET),
                buffer.getInt(STREAM_OFFSET),
                text(buffer, NAME_OFFSET + Integer.BYTES, nameLength),
                text(buffer, detailOffset + Integer.BYTES, detailLength));
    }

    /** Reads a text and replaces characters that are not printable, which could control a terminal. */
    private static String text(DirectBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        for (int i = 0; i < length; i++) {
            bytes[i] = bytes[i] < ' ' || bytes[i] > '~' ? (byte) '?' : bytes[i];
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "~";
    }
}
