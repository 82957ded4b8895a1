package io.sluice.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes the first SIGTERM a request to leave, so that a process that a supervisor stops leaves in order. The second
 * SIGTERM ends the process, as the first would without this.
 *
 * <p>The JDK's class for signals is looked up at run time, because it is not a supported API; if it is missing, or
 * other code handles the signal, nothing changes.
 */
final class DrainSignal {
    private static final String NAME = "TERM";
    private static final int ENDED_BY_IT = 128 + 15;

    private DrainSignal() {}

    /**
     * Handles the signal from now on, until the process ends.
     *
     * @param first runs on a thread of the JVM when the first signal arrives
     */
    static void asks(Runnable first) {
        AtomicBoolean asked = new AtomicBoolean();
        take(() -> {
            if (asked.compareAndSet(false, true)) {
                first.run();
            } else {
                System.exit(ENDED_BY_IT);
            }
        });
    }

    private static void take(Runnable task) {
        InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
            case "handle" -> {
                task.run();
                yield null;
            }
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> NAME;
        };
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handles = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(handles.getClassLoader(), new Class<?>[] {handles}, handler);
            Object term = signal.getConstructor(String.class).newInstance(NAME);
            signal.getMethod("handle", signal, handles).invoke(null, term, proxy);
        } catch (ReflectiveOperationException e) {
            System.err.println("sluice: SIGTERM ends this process at once, without a drain: " + e);
        }
    }
}
