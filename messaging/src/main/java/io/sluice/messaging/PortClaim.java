package io.sluice.messaging;

import io.aeron.Aeron;
import io.aeron.Counter;
import io.sluice.messaging.api.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Records, in a counter of the shared driver, that a process receives on a UDP endpoint.
 *
 * <p>Processes that share a driver also share its sockets, so the operating system does not refuse a second receiver on
 * the same port, and each would get the other's frames. The counter makes a claim visible to all of them (and to
 * Aeron's tools), and disappears with its process. The claim of a killed process stays until the driver detects its
 * death. The claim names the process, so a restarted process can recognise it and gets its port back at once.
 */
final class PortClaim {
    /** Type of the counter; types from 1,000 on are those of applications. */
    static final int COUNTER_TYPE_ID = 5_317;

    /**
     * Value while the endpoint is claimed but not bound yet. Of two simultaneous claims the one with the lower counter
     * id wins; but ids are assigned again, so a claim with a higher id may be the earlier one and no longer look for
     * others. The claim with the lower id therefore waits until the other is bound or released.
     */
    private static final long CLAIMED = 0;

    private static final long BOUND = 1;
    private static final long RELEASED = 2;

    /** A claim that another process leaves undecided for so long counts as bound. */
    private static final long UNDECIDED_NS = TimeUnit.SECONDS.toNanos(1);

    private static final int CLIENT_OFFSET = 0;
    private static final int PID_OFFSET = 8;
    private static final int ENDPOINT_OFFSET = 16;
    private static final int MAX_ENDPOINT_LENGTH = CountersReader.MAX_KEY_LENGTH - ENDPOINT_OFFSET - Integer.BYTES;

    private final Aeron aeron;
    private final Counter counter;

    private PortClaim(Aeron aeron, Counter counter) {
        this.aeron = aeron;
        this.counter = counter;
    }

    /**
     * Claims an endpoint.
     *
     * @return the claim, or null if another process has the port.
     */
    static PortClaim tryClaim(Aeron aeron, String label, Endpoint local) {
        String endpoint = canonical(local);
        PortClaim claim = new PortClaim(aeron, addCounter(aeron, label, endpoint));
        if (local.port() != 0 && claim.isContested(endpoint)) {
            claim.release();
            return null;
        }
        return claim;
    }

    private static Counter addCounter(Aeron aeron, String label, String endpoint) {
        UnsafeBuffer key = new UnsafeBuffer(new byte[CountersReader.MAX_KEY_LENGTH]);
        key.putLong(CLIENT_OFFSET, aeron.clientId());
        key.putLong(PID_OFFSET, ProcessHandle.current().pid());
        int keyLength = ENDPOINT_OFFSET + key.putStringAscii(ENDPOINT_OFFSET, endpoint);
        byte[] text = ("sluice inbox " + label + " at " + endpoint + " process "
                        + ProcessHandle.current().pid())
                .getBytes(StandardCharsets.US_ASCII);
        int textLength = Math.min(text.length, CountersReader.MAX_LABEL_LENGTH);
        return aeron.addCounter(COUNTER_TYPE_ID, key, 0, keyLength, new UnsafeBuffer(text), 0, textLength);
    }

    private static String canonical(Endpoint local) {
        String text = local.resolve().getAddress().getHostAddress() + ":" + local.port();
        return text.length() <= MAX_ENDPOINT_LENGTH ? text : text.substring(text.length() - MAX_ENDPOINT_LENGTH);
    }

    private boolean isContested(String endpoint) {
        SleepingMillisIdleStrategy idle = new SleepingMillisIdleStrategy(1);
        long begin = System.nanoTime();
        Rivals rivals = rivals(endpoint);
        while (rivals == Rivals.UNDECIDED && System.nanoTime() - begin < UNDECIDED_NS) {
            idle.idle();
            rivals = rivals(endpoint);
        }
        return rivals != Rivals.NONE;
    }

    /** Reads no labels: a driver has hundreds of counters, and decoding their labels takes milliseconds. */
    private Rivals rivals(String endpoint) {
        CountersReader counters = aeron.countersReader();
        Rivals found = Rivals.NONE;
        for (int id = 0; id <= counters.maxCounterId() && found != Rivals.HAVE_IT; id++) {
            int state = counters.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED) {
                break; // ids after the first unused one have never been allocated
            }
            if (state == CountersReader.RECORD_ALLOCATED
                    && counters.getCounterTypeId(id) == COUNTER_TYPE_ID
                    && isRival(counters, id, endpoint)) {
                long value = counters.getCounterValue(id);
                if (value == BOUND || (value == CLAIMED && id < counter.id())) {
                    found = Rivals.HAVE_IT;
                } else if (value == CLAIMED) {
                    found = Rivals.UNDECIDED;
                }
            }
        }
        return found;
    }

    /** Whether a claim is to the same endpoint, and of another client in a process that runs. */
    private boolean isRival(CountersReader counters, int counterId, String endpoint) {
        DirectBuffer metaData = counters.metaDataBuffer();
        int key = CountersReader.metaDataOffset(counterId) + CountersReader.KEY_OFFSET;
        return metaData.getLong(key + CLIENT_OFFSET) != aeron.clientId()
                && endpoint.equals(metaData.getStringAscii(key + ENDPOINT_OFFSET))
                && ProcessHandle.of(metaData.getLong(key + PID_OFFSET))
                        .map(ProcessHandle::isAlive)
                        .orElse(false);
    }

    private enum Rivals {
        NONE,
        UNDECIDED,
        HAVE_IT
    }

    /** Records that the endpoint is bound. */
    void bound() {
        counter.setRelease(BOUND);
    }

    boolean isReleased() {
        return counter.isClosed();
    }

    /**
     * Releases the endpoint. If the client is closed, or was suspended for so long that the driver has declared it
     * dead, the driver has already freed the counter, which must not be changed.
     */
    void release() {
        if (!aeron.isClosed() && !counter.isClosed()) {
            if (isOurs()) {
                counter.setRelease(RELEASED);
            }
            counter.close();
        }
    }

    private boolean isOurs() {
        CountersReader counters = aeron.countersReader();
        return counters.getCounterState(counter.id()) == CountersReader.RECORD_ALLOCATED
                && counters.getCounterRegistrationId(counter.id()) == counter.registrationId();
    }
}
