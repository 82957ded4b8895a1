package io.sluice.trials.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Lists all UDP sockets of a process, as Linux reports them: bound ones and those that only send. */
final class UdpPorts {
    private static final Path PROCESSES = Path.of("/proc");
    private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d+)]");
    private static final int HEX = 16;
    private static final int INODE_COLUMN = 9;
    private static final int ADDRESS_LENGTH = 8;

    private UdpPorts() {}

    /**
     * Lists the addresses of the sockets.
     *
     * @param pid id of the process
     * @param address address for sockets that are bound to any address
     * @return addresses of the sockets; none if the process has ended
     */
    static List<InetSocketAddress> of(long pid, String address) {
        Path process = PROCESSES.resolve(Long.toString(pid));
        List<InetSocketAddress> ports = new ArrayList<>();
        try {
            Set<String> inodes = sockets(process);
            for (String line : Files.readAllLines(process.resolve("net/udp"))) {
                String[] columns = line.strip().split("\\s+");
                if (columns.length > INODE_COLUMN && inodes.contains(columns[INODE_COLUMN])) {
                    ports.add(address(columns[1], address));
                }
            }
        } catch (IOException e) {
            return List.of(); // the process has just ended
        }
        return ports;
    }

    private static Set<String> sockets(Path process) throws IOException {
        Set<String> inodes = new HashSet<>();
        try (Stream<Path> files = Files.list(process.resolve("fd"))) {
            for (Path file : files.toList()) {
                if (Files.isSymbolicLink(file)) {
                    Matcher socket = SOCKET.matcher(target(file));
                    if (socket.matches()) {
                        inodes.add(socket.group(1));
                    }
                }
            }
        }
        return inodes;
    }

    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            return ""; // the socket was just closed
        }
    }

    /** Parses an address such as 0100007F:9C54: the address little-endian, the port big-endian. */
    private static InetSocketAddress address(String text, String otherwise) throws UnknownHostException {
        int ip = Integer.reverseBytes(Integer.parseUnsignedInt(text.substring(0, ADDRESS_LENGTH), HEX));
        int port = Integer.parseInt(text.substring(ADDRESS_LENGTH + 1), HEX);
        byte[] bytes = {(byte) (ip >> 24), (byte) (ip >> 16), (byte) (ip >> 8), (byte) ip};
        return new InetSocketAddress(
                ip == 0 ? InetAddress.getByName(otherwise) : InetAddress.getByAddress(bytes), port);
    }
}
