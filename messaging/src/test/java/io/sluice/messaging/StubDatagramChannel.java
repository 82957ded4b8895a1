package io.sluice.messaging;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/** A channel without a network, of which a test overrides what it needs. */
abstract class StubDatagramChannel extends DatagramChannel {
    StubDatagramChannel() {
        super(SelectorProvider.provider());
    }

    @Override
    public DatagramChannel bind(SocketAddress local) {
        return this;
    }

    @Override
    public <T> DatagramChannel setOption(SocketOption<T> name, T value) {
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public DatagramSocket socket() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public DatagramChannel connect(SocketAddress remote) {
        return this;
    }

    @Override
    public DatagramChannel disconnect() {
        return this;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getLocalAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress receive(ByteBuffer target) {
        return null;
    }

    @Override
    public int send(ByteBuffer source, SocketAddress target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer target) {
        return 0;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        return 0;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface interf) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface interf, InetAddress source) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseSelectableChannel() {}

    @Override
    protected void implConfigureBlocking(boolean block) {}
}
