package io.sluice.messaging.udp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.LongFunction;
import org.agrona.concurrent.UnsafeBuffer;

/** System calls that are recorded, and answered as a test sets. */
final class FakeSockets implements SocketCalls {
    static final int ALL = Integer.MAX_VALUE;

    private static final int HEADER = 64;

    /** A message handed over: where it begins, its bytes, and the length of its segments or 0. */
    record Message(long from, long length, int segment) {}

    final List<List<Message>> sends = new ArrayList<>();
    final Deque<Integer> answers = new ArrayDeque<>();
    final List<Integer> closed = new ArrayList<>();
    LongFunction<Integer> receiving = headers -> -EAGAIN;
    IntUnaryOperator options = name -> 0;

    @Override
    public int send(int descriptor, long headers, int count) {
        UnsafeBuffer words = new UnsafeBuffer();
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            words.wrap(headers + (long) i * HEADER, HEADER);
            UnsafeBuffer part = new UnsafeBuffer(words.getLong(16), 16);
            long controlLength = words.getLong(40);
            int segment = 0;
            if (controlLength > 0) {
                UnsafeBuffer control = new UnsafeBuffer(words.getLong(32), (int) controlLength);
                if (control.getLong(0) != 18 || control.getInt(8) != 17 || control.getInt(12) != 103) {
                    throw new AssertionError("no control message of UDP_SEGMENT");
                }
                segment = Short.toUnsignedInt(control.getShort(16));
            }
            messages.add(new Message(part.getLong(0), part.getLong(8), segment));
        }
        sends.add(messages);
        int answer = answers.isEmpty() ? ALL : answers.poll();
        return answer == ALL ? count : answer;
    }

    @Override
    public int receive(int descriptor, long headers, int count) {
        return receiving.apply(headers);
    }

    @Override
    public int option(int descriptor, int level, int name) {
        return options.applyAsInt(name);
    }

    @Override
    public int setOption(int descriptor, int level, int name, int value) {
        return options.applyAsInt(name);
    }

    @Override
    public int duplicate(int descriptor) {
        return descriptor + 1_000;
    }

    @Override
    public void close(int descriptor) {
        closed.add(descriptor);
    }
}
