package io.sluice.messaging;

import io.aeron.Aeron;
import io.aeron.exceptions.AeronException;
import io.sluice.messaging.api.Endpoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The endpoints at which a transport receives, claimed against all other clients of its driver. */
final class PortClaims {
    private final Aeron aeron;
    private final Channels channels;
    private final Path directory;
    private final List<PortClaim> bound = new ArrayList<>();

    PortClaims(Aeron aeron, Channels channels, Path directory) {
        this.aeron = aeron;
        this.channels = channels;
        this.directory = directory;
    }

    /**
     * Claims an endpoint for an inbox that is about to be bound there.
     *
     * @param patienceNs how long to wait for the decision about a claim of another client, in nanoseconds
     * @throws EndpointInUseException if another client has it, or has claimed it for longer than that.
     */
    PortClaim claim(String label, Endpoint local, long patienceNs) {
        try {
            PortClaim claim = Uninterrupted.call(() -> PortClaim.tryClaim(aeron, label, local, patienceNs));
            if (claim == null) {
                throw AeronErrors.endpointInUse("inbox " + label, local.toString(), null);
            }
            return claim;
        } catch (AeronException | IllegalStateException e) {
            throw AeronErrors.refused("inbox " + label, channels.udpAt(local), directory, e);
        }
    }

    void bound(PortClaim claim) {
        claim.bound();
        bound.add(claim);
    }

    void forgetReleased() {
        bound.removeIf(PortClaim::isReleased);
    }

    /** Releases all claims. */
    void release() {
        bound.forEach(PortClaim::release);
        bound.clear();
    }
}
