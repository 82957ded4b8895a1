package io.sluice.messaging.udp;

import org.agrona.concurrent.UnsafeBuffer;

/** The calls of the C library, for tests that change some. */
class Kernel implements SocketCalls {
    private final LinuxSockets calls = new LinuxSockets();

    /** Whether the first message of a call is a train. */
    static boolean isTrain(long headers) {
        return new UnsafeBuffer(headers, Long.BYTES * 8).getLong(40) > 0;
    }

    @Override
    public int send(int descriptor, long headers, int count) {
        return calls.send(descriptor, headers, count);
    }

    @Override
    public int receive(int descriptor, long headers, int count) {
        return calls.receive(descriptor, headers, count);
    }

    @Override
    public int option(int descriptor, int level, int name) {
        return calls.option(descriptor, level, name);
    }

    @Override
    public int setOption(int descriptor, int level, int name, int value) {
        return calls.setOption(descriptor, level, name, value);
    }

    @Override
    public int duplicate(int descriptor) {
        return calls.duplicate(descriptor);
    }

    @Override
    public void close(int descriptor) {
        calls.close(descriptor);
    }
}
