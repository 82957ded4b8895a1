package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;

/** Checks that the JVM was started with the flags that this library needs, before Agrona fails with a linkage error. */
public final class JvmAccess {
    private static final String PACKAGE = "jdk.internal.misc";

    private JvmAccess() {}

    /**
     * Checks that the JVM lets Agrona reach off-heap memory. Call it first in your own program; opening a transport or
     * launching a driver also checks.
     *
     * @throws MessagingException if it was started without the flag that allows it
     */
    public static void require() {
        Module java = Object.class.getModule();
        if (!java.isExported(PACKAGE, JvmAccess.class.getModule())) {
            throw new MessagingException("this JVM was started without --add-exports=" + java.getName() + "/" + PACKAGE
                    + "=ALL-UNNAMED, which Agrona and Aeron need: start it with the flags in jvm.args, java"
                    + " @jvm.args ...");
        }
    }
}
