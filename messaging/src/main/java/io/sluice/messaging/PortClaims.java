package io.sluice.messaging;

import io.aeron.Aeron;
import io.aeron.exceptions.AeronException;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.EndpointInUseException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The endpoints at which a transport receives, claimed against all other processes that share its driver. */
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
     * @throws EndpointInUseException if another process has it.
     */
    PortClaim claim(String label, Endpoint local) {
        try {
            PortClaim claim = Uninterrupted.call(() -> PortClaim.tryClaim(aeron, label, local));
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
