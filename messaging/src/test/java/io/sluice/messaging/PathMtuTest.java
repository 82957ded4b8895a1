package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** What a kernel's refusal to send means, whatever the language of its message. */
class PathMtuTest {
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(1_400);

    @Test
    void aLongDatagramIsTooLongIfAShortOneLeaves() throws IOException {
        for (String words : List.of("Message too long", "Nachricht zu lang", "メッセージが長すぎます")) {
            assertFalse(PathMtu.isSendable(new Kernel(1_000, new IOException(words)), datagram), words);
        }
        assertTrue(PathMtu.isSendable(new Kernel(1_400, new IOException("Nachricht zu lang")), datagram));
    }

    @Test
    void ofWhatIsRefusedAtAnyLengthNothingIsLearnt() {
        IOException down = new IOException("Das Netzwerk ist nicht erreichbar");
        Kernel kernel = new Kernel(0, down);
        assertSame(down, assertThrows(IOException.class, () -> PathMtu.isSendable(kernel, datagram)));
    }

    /** Thrown by the next send. */
    @Test
    void anObjectionToAnEarlierDatagramIsNoneToThisOne() throws IOException {
        Kernel kernel = new Kernel(1_400, new IOException("Nachricht zu lang"));
        kernel.pending.add(new IOException("Kein Weg zum Zielrechner"));
        assertTrue(PathMtu.isSendable(kernel, datagram));

        Kernel narrow = new Kernel(1_000, new IOException("Nachricht zu lang"));
        narrow.pending.add(new PortUnreachableException());
        narrow.pending.add(new IOException("Nachricht zu lang"));
        assertFalse(PathMtu.isSendable(narrow, datagram));
    }

    /** Sends datagrams up to a length, after reporting errors of earlier ones. */
    private static final class Kernel extends StubDatagramChannel {
        private final int longest;
        private final IOException refusal;
        private final Queue<IOException> pending = new ArrayDeque<>();

        Kernel(int longest, IOException refusal) {
            this.longest = longest;
            this.refusal = refusal;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (!pending.isEmpty()) {
                throw pending.remove();
            }
            if (source.remaining() > longest) {
                throw refusal;
            }
            return source.remaining();
        }
    }
}
