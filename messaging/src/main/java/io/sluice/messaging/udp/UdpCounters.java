package io.sluice.messaging.udp;

import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DriverCounters;
import io.sluice.messaging.driver.Driver.UdpBatch;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

/** What a driver counts of its datagrams. Those sent are counted by the sender, those received by the receiver. */
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
     * Adds the counters to a driver's. They last as long as the driver.
     *
     * @param counters safe for this thread
     * @param rung     of the ladder that the driver uses
     */
    UdpCounters(CountersManager counters, UdpBatch rung) {
        DriverCounters driver = new DriverCounters(counters);
        driver.counter(CounterType.DRIVER_UDP_BATCH, rung.text()).set(1);
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

    /** One call has sent datagrams. */
    void sent(int datagrams) {
        sends.incrementRelease();
        datagramsSent.getAndAddRelease(datagrams);
    }

    /** One call has received datagrams. */
    void received(int datagrams) {
        receives.incrementRelease();
        datagramsReceived.getAndAddRelease(datagrams);
    }

    /** A train could not be split, or was cut off. */
    void unreadable() {
        unreadable.incrementRelease();
    }

    /** The socket had no room. */
    void socketFull() {
        socketFull.incrementRelease();
    }

    /** The socket took the first messages of a batch only. */
    void sentInPart() {
        sentInPart.incrementRelease();
    }

    /** A publication is not where its last batch has to begin: Aeron sends the batch again. */
    void unexpectedPosition() {
        unexpectedPositions.incrementRelease();
    }

    /** A route or device does not take trains. */
    void trainRefused() {
        trainsRefused.incrementRelease();
    }

    /** Aeron could not send a datagram that is no batch. */
    void singleNotSent() {
        singlesNotSent.incrementRelease();
    }

    /** Sending failed for another reason. */
    void otherFailure() {
        otherFailures.incrementRelease();
    }
}
