package io.sluice.cli.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;

/** Writes and reads {@link NodeEvent}s as JSON lines. */
public final class EventLines {
    private final ObjectMapper mapper = new ObjectMapper();

    /**
     * Writes an event and a line end.
     *
     * @param out stream to write to
     * @param event event to write
     */
    public void write(PrintStream out, NodeEvent event) {
        try {
            out.println(mapper.writerFor(NodeEvent.class).writeValueAsString(event));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an event cannot be written: " + event, e);
        }
    }

    /**
     * Reads an event.
     *
     * @param line one line of a child's output
     * @return the event, or null if the line is not an event
     */
    NodeEvent read(String line) {
        try {
            return mapper.readValue(line, NodeEvent.class);
        } catch (JsonProcessingException e) {
            return null; // a line that some library printed
        }
    }
}
