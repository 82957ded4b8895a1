package io.sluice.messaging;

import io.aeron.ChannelUri;
import io.aeron.CommonContext;
import io.aeron.ErrorCode;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.ClientTimeoutException;
import io.aeron.exceptions.ConductorServiceTimeoutException;
import io.aeron.exceptions.DriverTimeoutException;
import io.aeron.exceptions.RegistrationException;
import io.sluice.messaging.api.MessagingException;
import java.nio.file.Path;
import org.agrona.concurrent.AgentTerminationException;

/** Turns Aeron's exceptions into sentences that state what the user can do. */
final class AeronErrors {
    /** The message of Java's networking when a port is in use; Aeron forwards only its text. */
    private static final String IN_USE = "Address already in use";

    private static final String CANNOT_ASSIGN = "Cannot assign requested address";

    private AeronErrors() {}

    static MessagingException noDriver(Path directory, Throwable cause) {
        return new NoDriverException(
                "no media driver runs in " + directory + "; start one there, or name the directory of a running one",
                directory,
                cause);
    }

    static MessagingException endpointInUse(String what, String endpoint, Throwable cause) {
        return new EndpointInUseException(
                what + " cannot receive on " + endpoint + ": another process already does; choose another port", cause);
    }

    static MessagingException lost(Path directory, Throwable cause) {
        if (isOwnDeath(cause)) {
            return new MessagingException(
                    "the media driver in " + directory + " declared this process dead, because it was not running for"
                            + " too long (stopped, suspended or starved of processor time): " + cause.getMessage(),
                    cause);
        }
        String how = cause.getMessage() == null ? "" : ": " + cause.getMessage();
        return new MessagingException("the media driver in " + directory + " is no longer running" + how, cause);
    }

    /** Whether Aeron closes its client after such an error. */
    static boolean isFatal(Throwable error) {
        return error instanceof DriverTimeoutException
                || error instanceof AgentTerminationException
                || isOwnDeath(error);
    }

    /** Whether the driver has declared this client dead; then it frees the client's heartbeat counter, too. */
    private static boolean isOwnDeath(Throwable error) {
        return error instanceof ConductorServiceTimeoutException
                || error instanceof ClientTimeoutException
                || error instanceof AeronException
                        && String.valueOf(error.getMessage())
                                .contains("unexpected close of heartbeat timestamp counter");
    }

    static MessagingException refused(String what, String channel, Path directory, RuntimeException e) {
        if (e instanceof RegistrationException refusal) {
            String reason = String.valueOf(refusal.getMessage()).replaceAll("^ERROR - |, errorCodeValue=.*$", "");
            String endpoint = endpointOf(channel);
            if (reason.contains(IN_USE)) {
                return endpointInUse(what, endpoint, e);
            }
            if (reason.contains(CANNOT_ASSIGN)) {
                return new MessagingException(
                        what + " cannot receive on " + endpoint + ": the address is not one of this machine's", e);
            }
            if (refusal.errorCode() == ErrorCode.STORAGE_SPACE) {
                return new MessagingException(
                        what + " cannot allocate its log in " + directory + ", whose file system is too full;"
                                + " enlarge it (in a container: docker run --shm-size) or choose another directory",
                        e);
            }
            return new MessagingException(what + " was refused by the media driver for " + channel + ": " + reason, e);
        }
        if (isFatal(e)) {
            return lost(directory, e);
        }
        return new MessagingException(what + " could not be opened on " + channel + ": " + e.getMessage(), e);
    }

    private static String endpointOf(String channel) {
        String endpoint = ChannelUri.parse(channel).get(CommonContext.ENDPOINT_PARAM_NAME);
        return endpoint == null ? channel : endpoint;
    }
}
