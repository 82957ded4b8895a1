package io.sluice.messaging.udp;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.agrona.collections.Hashing;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The source addresses of datagrams, by the bytes of the kernel's {@code sockaddr}: a known address costs no
 * allocation. Their number is bounded, so outsiders with many addresses only displace others. For one thread.
 */
final class SourceAddresses {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;

    // sockaddr_in and sockaddr_in6; ports and addresses in network order
    private static final int PORT = 2;
    private static final int IPV4 = 4;
    private static final int IPV4_LENGTH = 16;
    private static final int IPV6 = 8;
    private static final int SCOPE = 24;
    private static final int IPV6_LENGTH = 28;

    private static final int SETS = 64;
    private static final int WAYS = 4;
    private static final int PORT_BITS = 16;
    private static final int SCOPE_SHIFT = 32;

    private final long[] ends = new long[SETS * WAYS];
    private final long[] highs = new long[SETS * WAYS];
    private final long[] lows = new long[SETS * WAYS];
    private final InetSocketAddress[] known = new InetSocketAddress[SETS * WAYS];
    private int next;

    /**
     * The address in a buffer.
     *
     * @param buffer buffer with a {@code sockaddr}, in the byte order of the machine
     * @param at     index of the {@code sockaddr}; the bytes of the longest address must follow
     * @param length length of the {@code sockaddr}
     * @return the address; null if it is no Internet address
     */
    InetSocketAddress of(UnsafeBuffer buffer, int at, int length) {
        int family = length < Short.BYTES ? 0 : buffer.getShort(at);
        int port = Short.toUnsignedInt(buffer.getShort(at + PORT, ByteOrder.BIG_ENDIAN));
        if (family == AF_INET && length >= IPV4_LENGTH) {
            return find((long) family << PORT_BITS | port, 0, buffer.getInt(at + IPV4));
        }
        if (family == AF_INET6 && length >= IPV6_LENGTH) {
            long scope = (long) buffer.getInt(at + SCOPE) << SCOPE_SHIFT;
            return find(
                    scope | (long) family << PORT_BITS | port,
                    buffer.getLong(at + IPV6),
                    buffer.getLong(at + IPV6 + Long.BYTES));
        }
        return null;
    }

    private InetSocketAddress find(long end, long high, long low) {
        int first = Hashing.hash(end ^ Long.rotateLeft(high, 1) ^ low, SETS - 1) * WAYS;
        for (int i = first; i < first + WAYS; i++) {
            if (ends[i] == end && lows[i] == low && highs[i] == high && known[i] != null) {
                return known[i];
            }
        }
        int place = first + (next++ & (WAYS - 1));
        known[place] = address(end, high, low);
        ends[place] = end;
        highs[place] = high;
        lows[place] = low;
        return known[place];
    }

    private static InetSocketAddress address(long end, long high, long low) {
        int port = (int) end & 0xFFFF;
        int scope = (int) (end >>> SCOPE_SHIFT);
        boolean ipv6 = ((int) end >>> PORT_BITS) == AF_INET6;
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[ipv6 ? 2 * Long.BYTES : Integer.BYTES]);
        if (ipv6) {
            bytes.putLong(0, high);
            bytes.putLong(Long.BYTES, low);
        } else {
            bytes.putInt(0, (int) low);
        }
        try {
            InetAddress host = scope == 0
                    ? InetAddress.getByAddress(bytes.byteArray())
                    : Inet6Address.getByAddress(null, bytes.byteArray(), scope);
            return new InetSocketAddress(host, port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has " + bytes.capacity() + " bytes", e);
        }
    }
}
