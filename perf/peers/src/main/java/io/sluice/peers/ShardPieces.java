package io.sluice.peers;

/**
 * Bytes cut into pieces that are assigned to servers in turn.
 *
 * @param bytes   bytes of all servers together
 * @param servers number of servers
 * @param piece   bytes of each piece except the last
 */
record ShardPieces(long bytes, int servers, int piece) {
    /** Number of bytes of a server. */
    long shard(int server) {
        long pieces = Math.ceilDiv(bytes, piece);
        long owned = pieces / servers + (server < pieces % servers ? 1 : 0);
        boolean ends = (pieces - 1) % servers == server;
        return owned * piece - (ends ? pieces * piece - bytes : 0);
    }
}
