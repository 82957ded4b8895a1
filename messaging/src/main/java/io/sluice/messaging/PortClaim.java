package io.sluice.messaging;

import io.aeron.Aeron;
import io.aeron.Counter;
import io.sluice.messaging.api.Endpoint;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Records, in a counter of the shared driver, that a client of it receives on a UDP endpoint.
 *
 * <p>Clients of a driver also share its sockets, so the operating system does not refuse a second receiver on the same
 * port, and each would get the other's frames. The counter makes a claim visible to all of them (and to Aeron's tools),
 * and disappears with its client. The claim of a killed process stays until the driver detects its death. The claim
 * names the process, so a restarted process can recognise it and gets its port back at once. Processes that share a
 * driver must therefore see each other's process ids.
 *
 * <p>The driver adds counters one after another. So of two claims the later one sees the earlier, until that one is
 * released. A claim wins if it sees no other, or if its client receives at the endpoint already.
 */
final class PortClaim {
    /** Type of the counter; types from 1,000 on are those of applications. */
    static final int COUNTER_TYPE_ID = 5_317;

    /**
     * Value while the endpoint is claimed but not bound yet. Of two such claims the one with the higher counter id
     * gives up. The other waits until that one is bound or released: the driver assigns ids again, so the claim with
     * the higher id may be the earlier one, which no longer looks for others.
     */
    private static final long CLAIMED = 0;

    private static final long BOUND = 1;
    private static final long RELEASED = 2;

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
     * @param patienceNs how long to wait for the decision about a claim of another client, in nanoseconds
     * @return the claim, or null if another client has the port, or has claimed it for longer than that
     */
    static PortClaim tryClaim(Aeron aeron, String label, Endpoint local, long patienceNs) {
        String endpoint = canonical(local);
        PortClaim claim = new PortClaim(aeron, addCounter(aeron, label, endpoint));
        boolean wins = false;
        try {
            wins = local.port() == 0 || claim.wins(endpoint, patienceNs);
        } finally {
            if (!wins) {
                claim.release();
            }
        }
        return wins ? claim : null;
    }

    static Counter addCounter(Aeron aeron, String label, String endpoint) {
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

    private boolean wins(String endpoint, long patienceNs) {
        SleepingMillisIdleStrategy idle = new SleepingMillisIdleStrategy(1);
        long begin = System.nanoTime();
        Rivals rivals = rivals(endpoint);
        while (rivals == Rivals.UNDECIDED && System.nanoTime() - begin < patienceNs) {
            if (aeron.conductorAgentInvoker() != null) {
                aeron.conductorAgentInvoker().invoke(); // the thread that invokes it waits for this call
            }
            idle.idle();
            rivals = rivals(endpoint);
        }
        return rivals == Rivals.NONE;
    }

    /** Reads no labels: a driver has hundreds of counters, and decoding their labels takes milliseconds. */
    private Rivals rivals(String endpoint) {
        CountersReader counters = aeron.countersReader();
        Rivals found = Rivals.NONE;
        for (int id = 0; id <= counters.maxCounterId(); id++) {
            int state = counters.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED) {
                break; // ids after the first unused one have never been allocated
            }
            if (state != CountersReader.RECORD_ALLOCATED
                    || counters.getCounterTypeId(id) != COUNTER_TYPE_ID
                    || !isAt(counters, id, endpoint)) {
                continue;
            }
            long value = counters.getCounterValue(id);
            if (isOfThisClient(counters, id)) {
                if (value == BOUND) {
                    return Rivals.NONE; // claims of others lose against that one
                }
            } else if ((value == BOUND || value == CLAIMED) && isOfLivingProcess(counters, id)) {
                boolean decided = value == BOUND || id < counter.id();
                found = decided || found == Rivals.HAVE_IT ? Rivals.HAVE_IT : Rivals.UNDECIDED;
            }
        }
        return found;
    }

    private static int key(int counterId) {
        return CountersReader.metaDataOffset(counterId) + CountersReader.KEY_OFFSET;
    }

    private static boolean isAt(CountersReader counters, int counterId, String endpoint) {
        return endpoint.equals(counters.metaDataBuffer().getStringAscii(key(counterId) + ENDPOINT_OFFSET));
    }

    private boolean isOfThisClient(CountersReader counters, int counterId) {
        return counters.metaDataBuffer().getLong(key(counterId) + CLIENT_OFFSET) == aeron.clientId();
    }

    private static boolean isOfLivingProcess(CountersReader counters, int counterId) {
        return ProcessHandle.of(counters.metaDataBuffer().getLong(key(counterId) + PID_OFFSET))
                .map(ProcessHandle::isAlive)
                .orElse(false);
    }

    private enum Rivals {
        NONE,
        UNDECIDED,
        HAVE_IT
    }

    /** Records that the endpoint is bound, unless the driver has declared the client dead and freed the counter. */
    void bound() {
        if (isOurs()) {
            counter.setRelease(BOUND);
        }
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
