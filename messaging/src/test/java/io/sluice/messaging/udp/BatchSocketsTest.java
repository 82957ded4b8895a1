package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchSocketsTest {
    private final FakeSockets calls = new FakeSockets();
    private final BatchSockets sockets = new BatchSockets(calls, true);
    private final List<String> errors = new ArrayList<>();

    @Test
    void theFirstRefusalOfTrainsIsReported() {
        sockets.receiveTrains(7, error -> errors.add(error.getMessage()));
        assertEquals(List.of(), errors);
        calls.options = name -> -92;
        sockets.receiveTrains(7, error -> errors.add(error.getMessage()));
        sockets.receiveTrains(8, error -> errors.add(error.getMessage()));
        assertEquals(List.of("WARN - a socket receives no trains: the kernel refuses UDP_GRO (error 92)"), errors);
    }

    @Test
    void theFirstSocketWithoutDescriptorIsReported() throws IOException {
        calls.options = name -> -9;
        try (DatagramChannel channel = DatagramChannel.open()) {
            for (int i = 0; i < 2; i++) {
                assertEquals(Descriptors.NONE, sockets.descriptor(channel, error -> errors.add(error.getMessage())));
            }
        }
        assertEquals(List.of("WARN - batching is disabled for a socket: its descriptor was not found"), errors);
    }
}
