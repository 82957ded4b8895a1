package io.sluice.perf.bandwidth;

import java.io.IOException;

/** The process that started this one, as far as it matters here: it holds the other end of the standard input. */
final class ParentProcess {
    private static volatile boolean gone;

    private ParentProcess() {}

    /** Begins to watch, from a thread of its own. */
    static void watch() {
        Thread.ofPlatform().daemon().name("parent").start(ParentProcess::awaitEnd);
    }

    /** Whether it has closed our standard input or ended. */
    static boolean isGone() {
        return gone;
    }

    private static void awaitEnd() {
        try {
            for (int next = System.in.read(); next >= 0; next = System.in.read()) {
                // The content does not matter, only its end.
            }
        } catch (IOException e) {
            // As good as an end.
        }
        gone = true;
    }
}
