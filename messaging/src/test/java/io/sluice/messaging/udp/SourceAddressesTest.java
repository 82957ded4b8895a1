package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceAddressesTest {
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
    private final SourceAddresses addresses = new SourceAddresses();

    /** Writes an address as the kernel does; returns its length. */
    private int write(InetAddress host, int port, int scope) {
        boolean ipv6 = host instanceof Inet6Address;
        buffer.putShort(0, (short) (ipv6 ? 10 : 2));
        buffer.putShort(2, (short) port, ByteOrder.BIG_ENDIAN);
        buffer.putBytes(ipv6 ? 8 : 4, host.getAddress());
        buffer.putInt(24, scope);
        return ipv6 ? 28 : 16;
    }

    private InetSocketAddress find(InetAddress host, int port, int scope) {
        return addresses.of(buffer, 0, write(host, port, scope));
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.2.3", "255.255.255.255", "fd00::1:2", "2001:db8:ffff::ff"})
    void theSameBytesAreTheSameObject(String host) throws UnknownHostException {
        InetAddress address = InetAddress.getByName(host);
        InetSocketAddress first = find(address, 65_535, 0);
        assertEquals(new InetSocketAddress(host, 65_535), first);
        assertSame(first, find(address, 65_535, 0));
        assertEquals(new InetSocketAddress(host, 1), find(address, 1, 0));
        assertSame(first, find(address, 65_535, 0));
    }

    @Test
    void anAddressOfALinkHasItsScope() throws UnknownHostException {
        InetAddress host = InetAddress.getByName("fe80::1");
        InetSocketAddress one = find(host, 5, 1);
        InetSocketAddress two = find(host, 5, 2);
        assertEquals(1, ((Inet6Address) one.getAddress()).getScopeId());
        assertEquals(2, ((Inet6Address) two.getAddress()).getScopeId());
        assertSame(one, find(host, 5, 1));
    }

    @Test
    void anIpv4AddressInIpv6IsOneOfIpv4() {
        buffer.putShort(0, (short) 10);
        buffer.putBytes(8, new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 0, 0, 9});
        InetSocketAddress found = addresses.of(buffer, 0, 28);
        assertEquals(Inet4Address.class, found.getAddress().getClass());
        assertEquals("10.0.0.9", found.getAddress().getHostAddress());
    }

    @Test
    void manyAddressesDisplaceOneAnotherAndNoneIsMistakenForAnother() throws UnknownHostException {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 10_000; i++) {
                byte[] host = {10, 0, (byte) (i >> 8), (byte) i};
                InetSocketAddress found = find(InetAddress.getByAddress(host), 1 + i % 3, 0);
                assertEquals(new InetSocketAddress(InetAddress.getByAddress(host), 1 + i % 3), found);
            }
        }
    }

    @Test
    void whatIsTooShortOrUnknownIsNoAddress() throws UnknownHostException {
        write(InetAddress.getByName("10.0.0.1"), 5, 0);
        assertNull(addresses.of(buffer, 0, 15));
        assertNull(addresses.of(buffer, 0, 0));
        write(InetAddress.getByName("fd00::1"), 5, 0);
        assertNull(addresses.of(buffer, 0, 27));
        buffer.putShort(0, (short) 1);
        assertNull(addresses.of(buffer, 0, 28));
    }
}
