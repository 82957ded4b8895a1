package io.sluice.messaging.udp;

/**
 * The system calls of batched UDP. Each that returns a number returns the result of the C library, or the negated error
 * number. An instance is for one thread at a time.
 */
interface SocketCalls {
    /** Error number: a signal has interrupted the call. */
    int EINTR = 4;

    /** Error number: a device or the route cannot segment. */
    int EIO = 5;

    /** Error number: the socket's send buffer is full, or its receive buffer is empty. */
    int EAGAIN = 11;

    /** Error number: among other reasons, a segment is longer than the route's packets. */
    int EINVAL = 22;

    /** Error number: a datagram is longer than the route's packets. */
    int EMSGSIZE = 90;

    /** Error number: the receiving host has refused an earlier datagram. */
    int ECONNREFUSED = 111;

    /**
     * Sends datagrams or trains ({@code sendmmsg}).
     *
     * @param descriptor descriptor of the socket
     * @param headers    address of a {@link MessageVector}
     * @param count      number of messages
     * @return messages sent
     */
    int send(int descriptor, long headers, int count);

    /**
     * Receives datagrams or trains ({@code recvmmsg}) without waiting.
     *
     * @param descriptor descriptor of the socket
     * @param headers    address of a {@link MessageVector}
     * @param count      number of messages at most
     * @return messages received
     */
    int receive(int descriptor, long headers, int count);

    /** Reads an option that is an integer ({@code getsockopt}); the options read here are not negative. */
    int option(int descriptor, int level, int name);

    /** Sets an option that is an integer ({@code setsockopt}); 0 if it is set. */
    int setOption(int descriptor, int level, int name, int value);

    /** Duplicates a descriptor ({@code dup}). */
    int duplicate(int descriptor);

    /** Closes a descriptor. */
    void close(int descriptor);
}
