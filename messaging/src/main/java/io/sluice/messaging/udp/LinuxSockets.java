package io.sluice.messaging.udp;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sluice.messaging.linux.CLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/** The socket calls of the C library. Addresses are passed as numbers, so no call allocates. */
final class LinuxSockets implements SocketCalls {
    private static final int DONT_WAIT = 0x40;
    private static final int NO_SIGNAL = 0x4000;
    private static final long NO_TIMEOUT = 0;

    private static final String ERROR_NUMBER = "errno";
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERROR_OFFSET = STATE.byteOffset(MemoryLayout.PathElement.groupElement(ERROR_NUMBER));

    private static final MethodHandle SENDMMSG =
            handle("sendmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle RECVMMSG =
            handle("recvmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle GETSOCKOPT =
            handle("getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SETSOCKOPT =
            handle("setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle DUP = handle("dup", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private final MemorySegment state = Arena.ofAuto().allocate(STATE);
    private final MemorySegment value = Arena.ofAuto().allocate(JAVA_INT);
    private final MemorySegment length = Arena.ofAuto().allocate(JAVA_INT);

    private static MethodHandle handle(String function, FunctionDescriptor types) {
        return CLibrary.handle(function, types, Linker.Option.captureCallState(ERROR_NUMBER));
    }

    @Override
    public int send(int descriptor, long headers, int count) {
        try {
            return result((int) SENDMMSG.invokeExact(state, descriptor, headers, count, DONT_WAIT | NO_SIGNAL));
        } catch (Throwable e) {
            throw CLibrary.failed(e);
        }
    }

    @Override
    public int receive(int descriptor, long headers, int count) {
        try {
            return result((int) RECVMMSG.invokeExact(state, descriptor, headers, count, DONT_WAIT, NO_TIMEOUT));
        } catch (Throwable e) {
            throw CLibrary.failed(e);
        }
    }

    @Override
    public int option(int descriptor, int level, int name) {
        length.set(JAVA_INT, 0, Integer.BYTES);
        try {
            int result = result((int) GETSOCKOPT.invokeExact(state, descriptor, level, name, value, length));
            return result == 0 ? value.get(JAVA_INT, 0) : result;
        } catch (Throwable e) {
            throw CLibrary.failed(e);
        }
    }

    @Override
    public int setOption(int descriptor, int level, int name, int number) {
        value.set(JAVA_INT, 0, number);
        try {
            return result((int) SETSOCKOPT.invokeExact(state, descriptor, level, name, value, Integer.BYTES));
        } catch (Throwable e) {
            throw CLibrary.failed(e);
        }
    }

    @Override
    public int duplicate(int descriptor) {
        try {
            return result((int) DUP.invokeExact(state, descriptor));
        } catch (Throwable e) {
            throw CLibrary.failed(e);
        }
    }

    @Override
    public void close(int descriptor) {
        CLibrary.close(descriptor);
    }

    private int result(int returned) {
        return returned >= 0 ? returned : -state.get(JAVA_INT, ERROR_OFFSET);
    }
}
