package io.sluice.consistency.membership;

import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;

/** Control frames over Aeron's UDP channels. */
record AeronControlNetwork(Transport transport) implements ControlNetwork {
    private static final long NOTHING = -1;

    private record InboxPort(Inbox inbox) implements Port {
        @Override
        public int poll(int limit) {
            return inbox.poll(limit);
        }

        @Override
        public void reject(Rejection rejection) {
            inbox.reject(rejection);
        }

        @Override
        public long rejected() {
            return inbox.rejections().total();
        }

        @Override
        public Endpoint endpoint() {
            return inbox.endpoint();
        }

        @Override
        public void close() {
            inbox.close();
        }
    }

    private record LinkLine(Link link) implements Line {
        @Override
        public boolean offer(DirectBuffer buffer, int offset, int length) {
            return link.offer(buffer, offset, length);
        }

        @Override
        public void close() {
            link.close();
        }
    }

    /** A line that was requested from the media driver, whose answer is processed when the line is used. */
    private final class RequestedLine implements Line {
        private final String label;
        private final String channel;

        /** The request that the driver has not answered yet; {@link #NOTHING} for none. */
        private long request = NOTHING;

        /** Link of this line; null until the driver has answered. */
        private Link link;

        RequestedLine(String label, String channel) {
            this.label = label;
            this.channel = channel;
            try {
                request = transport.requestLink(label, channel, ControlIds.STREAM);
            } catch (MessagingException e) {
                transport.onError(e);
            }
        }

        @Override
        public boolean isOpen() {
            if (NOTHING != request) {
                try {
                    link = transport.requestedLink(label, channel, ControlIds.STREAM, request);
                    request = null == link ? request : NOTHING;
                } catch (MessagingException e) {
                    request = NOTHING;
                    transport.onError(e);
                }
            }
            return null != link;
        }

        @Override
        public boolean isRefused() {
            return NOTHING == request && null == link;
        }

        @Override
        public boolean offer(DirectBuffer buffer, int offset, int length) {
            return isOpen() && link.offer(buffer, offset, length);
        }

        @Override
        public void close() {
            if (NOTHING != request) {
                transport.withdrawLink(request);
                request = NOTHING;
            }
            CloseHelper.quietClose(link);
        }
    }

    @Override
    public Port open(String label, Endpoint local, FrameValidator validator, FrameHandler handler) {
        return new InboxPort(transport.openUdpInbox(label, local, ControlIds.STREAM, validator, handler));
    }

    @Override
    public Line connect(String label, Endpoint to) {
        return new LinkLine(transport.openLink(label, transport.channels().controlUdpTo(to), ControlIds.STREAM));
    }

    @Override
    public Line request(String label, Endpoint to) {
        return new RequestedLine(label, transport.channels().controlUdpTo(to));
    }

    @Override
    public boolean isDriverSilent() {
        return transport.isDriverSilent();
    }

    @Override
    public boolean isClosed() {
        return transport.isClosed();
    }

    @Override
    public MessagingException failure() {
        return transport.failure();
    }

    @Override
    public void record(Throwable error) {
        transport.errorLog().record(error);
    }

    @Override
    public void onError(Throwable error) {
        transport.onError(error);
    }

    @Override
    public HostLoad load() {
        return HostLoad.here();
    }

    @Override
    public int invoke() {
        return transport.invoke();
    }
}
