package io.sluice.messaging.udp;

import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DriverCounters;
import io.sluice.messaging.driver.Driver.UdpBatch;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

/**
 * The counters of a driver's datagrams. The sender's thread counts sent datagrams, the receiver's thread counts
 * received datagrams.
 */
final class UdpCounters {
    private final AtomicCounter datagramsSent;
    private final AtomicCounter sends;
    private final AtomicCounter datagramsReceived;
    private final AtomicCounter receives;
    private final AtomicCounter socketFull;
    private final AtomicCounter sentInPart;
    private final AtomicCounter unexpectedPositions;
    private final AtomicCounter trainsRefused;
    private final AtomicCounter otherFailures;
    private final AtomicCounter singlesNotSent;
    private final AtomicCounter unreadable;

    /**
     * Adds the counters of UDP to those of a media driver; they exist until it ends.
     *
     * @param counters the driver's counters manager, which the calling thread may use
     * @param mode     batching mode that the driver uses
     */
    UdpCounters(CountersManager counters, UdpBatch mode) {
        DriverCounters driver = new DriverCounters(counters);
        driver.counter(CounterType.DRIVER_UDP_BATCH, mode.text()).set(1);
        datagramsSent = driver.counter(CounterType.DRIVER_DATAGRAMS_SENT, "");
        sends = driver.counter(CounterType.DRIVER_SENDS, "");
        datagramsReceived = driver.counter(CounterType.DRIVER_DATAGRAMS_RECEIVED, "");
        receives = driver.counter(CounterType.DRIVER_RECEIVES, "");
        socketFull = driver.counter(CounterType.DRIVER_SEND_FAILURES, "socket full");
        sentInPart = driver.counter(CounterType.DRIVER_SEND_FAILURES, "sent in part");
        unexpectedPositions = driver.counter(CounterType.DRIVER_SEND_FAILURES, "unexpected position");
        trainsRefused = driver.counter(CounterType.DRIVER_SEND_FAILURES, "train refused");
        otherFailures = driver.counter(CounterType.DRIVER_SEND_FAILURES, "other");
        singlesNotSent = driver.counter(CounterType.DRIVER_SEND_FAILURES, "single datagram");
        unreadable = driver.counter(CounterType.DRIVER_RECEIVE_FAILURES, "");
    }

    /** Counts a call that has sent datagrams. */
    void sent(int datagrams) {
        sends.incrementRelease();
        datagramsSent.getAndAddRelease(datagrams);
    }

    /** Counts a call that has received datagrams. */
    void received(int datagrams) {
        receives.incrementRelease();
        datagramsReceived.getAndAddRelease(datagrams);
    }

    /** Counts a received message that the kernel truncated or that could not be split; its datagrams are dropped. */
    void unreadable() {
        unreadable.incrementRelease();
    }

    /** Counts a batch that was not sent because the socket's send buffer was full. */
    void socketFull() {
        socketFull.incrementRelease();
    }

    /** Counts a batch of which the socket accepted only the first messages. */
    void sentInPart() {
        sentInPart.incrementRelease();
    }

    /** Counts an unexpected position of a publication, after which Aeron sends the batch again. */
    void unexpectedPosition() {
        unexpectedPositions.incrementRelease();
    }

    /** Counts a refusal of trains by a route or device. */
    void trainRefused() {
        trainsRefused.incrementRelease();
    }

    /** Counts a single datagram that Aeron could not send. */
    void singleNotSent() {
        singlesNotSent.incrementRelease();
    }

    /** Counts a failure to send for another reason. */
    void otherFailure() {
        otherFailures.incrementRelease();
    }
}
