package io.sluice.messaging.driver;

import io.aeron.driver.Configuration;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.sluice.messaging.Settings;
import io.sluice.messaging.api.MessagingException;
import java.util.concurrent.TimeUnit;

/**
 * Settings of the channels between nodes; lengths are in bytes. Defaults come from system properties {@code sluice.*}.
 */
public final class ChannelSettings {
    /** The largest MTU Aeron allows: a UDP payload of 65,507 bytes rounded down to a multiple of 32. */
    public static final int MAX_MTU = Configuration.MAX_UDP_PAYLOAD_LENGTH;

    /** The smallest MTU. */
    public static final int MIN_MTU = 256;

    private int ipcTermLength = Settings.intSize("sluice.ipc.term.length", 4 << 20);
    private int udpTermLength = Settings.intSize("sluice.udp.term.length", 4 << 20);
    private int mtu = Settings.intSize("sluice.mtu", 0);
    private int receiverWindow = Settings.intSize("sluice.receiver.window", 2 << 20);
    private int socketBuffer = Settings.intSize("sluice.socket.buffer", 4 << 20);
    private long lingerNs = Settings.duration("sluice.linger", TimeUnit.MILLISECONDS.toNanos(500));

    /** Creates settings with the defaults from system properties. */
    public ChannelSettings() {}

    /**
     * Checks all settings.
     *
     * @throws MessagingException naming the setting, its value and the range
     */
    public void check() {
        Settings.powerOfTwoInRange("ipcTermLength", ipcTermLength, LogBufferDescriptor.TERM_MIN_LENGTH, 1 << 30);
        Settings.powerOfTwoInRange("udpTermLength", udpTermLength, LogBufferDescriptor.TERM_MIN_LENGTH, 1 << 30);
        if (mtu != 0) {
            Settings.multipleInRange("mtu", mtu, MIN_MTU, MAX_MTU, FrameDescriptor.FRAME_ALIGNMENT);
        }
        Settings.inRange("receiverWindow", receiverWindow, MAX_MTU, 1 << 30);
        Settings.inRange("socketBuffer", socketBuffer, receiverWindow, 1 << 30);
        Settings.inRange("lingerNs", lingerNs, 0, TimeUnit.MINUTES.toNanos(1));
    }

    /** Term length of shared-memory logs: a power of two, 64 KiB to 1 GiB. */
    public ChannelSettings ipcTermLength(int bytes) {
        ipcTermLength = bytes;
        return this;
    }

    /** Term length of shared-memory logs. */
    public int ipcTermLength() {
        return ipcTermLength;
    }

    /** Term length of UDP logs: a power of two, 64 KiB to 1 GiB. */
    public ChannelSettings udpTermLength(int bytes) {
        udpTermLength = bytes;
        return this;
    }

    /** Term length of UDP logs. */
    public int udpTermLength() {
        return udpTermLength;
    }

    /** MTU of UDP channels, a multiple of 32; 0 chooses by destination. */
    public ChannelSettings mtu(int bytes) {
        mtu = bytes;
        return this;
    }

    /** MTU of UDP channels; 0 chooses by destination. */
    public int mtu() {
        return mtu;
    }

    /** Bytes by which a UDP sender may be ahead of its receiver. */
    public ChannelSettings receiverWindow(int bytes) {
        receiverWindow = bytes;
        return this;
    }

    /** Number of bytes by which a UDP sender may be ahead of its receiver. */
    public int receiverWindow() {
        return receiverWindow;
    }

    /** Socket buffers, both ways; at least the window. */
    public ChannelSettings socketBuffer(int bytes) {
        socketBuffer = bytes;
        return this;
    }

    /** Socket buffers, both ways. */
    public int socketBuffer() {
        return socketBuffer;
    }

    /** How long a closed link's log stays for retransmission, in nanoseconds. */
    public ChannelSettings lingerNs(long ns) {
        lingerNs = ns;
        return this;
    }

    /** How long a closed link's log stays for retransmission, in nanoseconds. */
    public long lingerNs() {
        return lingerNs;
    }
}
