package io.sluice.peers;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The only method of the service: a caller receives a stream of pieces, which are bytes without a schema. */
final class GrpcMethod {
    static final String SERVICE = "sluice.Broadcast";

    static final MethodDescriptor<byte[], byte[]> RECEIVE = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Receive"))
            .setRequestMarshaller(new Pieces())
            .setResponseMarshaller(new Pieces())
            .build();

    private GrpcMethod() {}

    private static final class Pieces implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] piece) {
            return new Piece(piece);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readNBytes(stream.available());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Gives gRPC the length in advance. */
    private static final class Piece extends ByteArrayInputStream implements KnownLength {
        Piece(byte[] piece) {
            super(piece);
        }
    }
}
