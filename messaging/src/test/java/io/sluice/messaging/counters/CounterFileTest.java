package io.sluice.messaging.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;

/** A place in the file is written only while it is the same counter that was allocated. */
class CounterFileTest {
    private static final int COUNTERS = 4;

    private final UnsafeBuffer metaData = new UnsafeBuffer(new byte[COUNTERS * CountersReader.METADATA_LENGTH]);
    private final UnsafeBuffer values = new UnsafeBuffer(new byte[COUNTERS * CountersReader.COUNTER_LENGTH]);
    private final CountersManager driver = new CountersManager(metaData, values);
    private final CounterFile file = new CounterFile(
            metaData,
            values,
            new ManyToOneRingBuffer(new UnsafeBuffer(new byte[1024 + RingBufferDescriptor.TRAILER_LENGTH])));

    private int allocate(long registrationId) {
        int counterId = driver.allocate("counter");
        driver.setCounterRegistrationId(counterId, registrationId);
        return counterId;
    }

    @Test
    void ourOwnIsChanged() {
        int ours = allocate(5);
        assertTrue(file.replace(ours, 5, 0, 7));
        assertTrue(file.replace(ours, 5, 7, 3));
        assertEquals(3, driver.getCounterValue(ours));
    }

    @Test
    void aFreedOneIsNot() {
        int ours = allocate(5);
        assertTrue(file.replace(ours, 5, 0, 7));
        driver.free(ours);
        long left = driver.getCounterValue(ours);
        assertFalse(file.replace(ours, 5, 7, 8));
        assertEquals(left, driver.getCounterValue(ours));
    }

    @Test
    void anothersInItsPlaceIsNot() {
        int ours = allocate(5);
        driver.free(ours);
        int anothers = allocate(6);
        assertEquals(ours, anothers, "the place is used again");
        assertFalse(file.replace(ours, 5, 0, 8));
        assertEquals(0, driver.getCounterValue(anothers));
    }

    @Test
    void aValueThatIsNotWhatWeStoredIsNot() {
        int ours = allocate(5);
        assertTrue(file.replace(ours, 5, 0, 7));
        driver.setCounterValue(ours, 1 << 20);
        assertFalse(file.replace(ours, 5, 7, 8));
        assertEquals(1 << 20, driver.getCounterValue(ours));
    }
}
