package io.sluice.messaging;

import io.aeron.CncFileDescriptor;
import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

/**
 * Reads what a media driver's command-and-control file states about the driver. Never writes it.
 *
 * @param pid process id of the driver's process.
 * @param startMs time at which the driver started, in milliseconds of the epoch.
 * @param heartbeatMs time of the driver's last heartbeat, in milliseconds of the epoch; the driver writes one each
 *                    second.
 */
record CncFile(long pid, long startMs, long heartbeatMs) {

    /** The path of the file in a driver's directory. */
    static Path in(Path directory) {
        return directory.resolve(CncFileDescriptor.CNC_FILE);
    }

    /**
     * Reads the file of a driver.
     *
     * @param directory directory of the driver.
     * @return its content, or null if there is no file or it is incomplete.
     */
    static CncFile read(Path directory) {
        Path file = in(directory);
        try {
            if (Files.size(file) <= CncFileDescriptor.META_DATA_LENGTH) {
                return null;
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return read(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
            }
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new MessagingException("the media driver's file " + file + " cannot be read: " + e, e);
        }
    }

    private static CncFile read(MappedByteBuffer mapped) {
        try {
            UnsafeBuffer metaData = CncFileDescriptor.createMetaDataBuffer(mapped);
            int version = metaData.getIntVolatile(CncFileDescriptor.cncVersionOffset(0));
            if (version == 0 || !CncFileDescriptor.isCncFileLengthSufficient(metaData, mapped.capacity())) {
                return null;
            }
            ManyToOneRingBuffer toDriver =
                    new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(mapped, metaData));
            return new CncFile(
                    CncFileDescriptor.pid(metaData),
                    CncFileDescriptor.startTimestampMs(metaData),
                    toDriver.consumerHeartbeatTime());
        } finally {
            BufferUtil.free(mapped);
        }
    }
}
