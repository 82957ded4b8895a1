package io.sluice.messaging.api;

import io.sluice.messaging.Settings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * A host and a UDP port, written {@code host:port}, or {@code [address]:port} for IPv6.
 *
 * @param host name or address, without brackets.
 * @param port 0 to 65,535; 0 lets the operating system choose when receiving.
 */
public record Endpoint(String host, int port) {
    private static final int MAX_PORT = 65_535;

    /** Checks both parts. */
    public Endpoint {
        Settings.present("host", host);
        if (host.isBlank() || host.chars().anyMatch(c -> c <= ' ' || c == '|' || c == '[' || c == ']')) {
            throw new MessagingException("host '" + host + "' of an endpoint is not a name or address");
        }
        Settings.inRange("port of endpoint " + host, port, 0, MAX_PORT);
    }

    /**
     * Reads {@code host:port} or {@code [ipv6]:port}.
     *
     * @param text text to read.
     * @return the endpoint.
     * @throws MessagingException if it is not an endpoint; the message quotes the text.
     */
    public static Endpoint parse(String text) {
        Settings.present("endpoint", text);
        String trimmed = text.trim();
        int colon = trimmed.lastIndexOf(':');
        if (colon <= 0 || colon == trimmed.length() - 1) {
            throw refusal(text, "expected host:port, such as 127.0.0.1:40100");
        }
        String host = trimmed.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw refusal(text, "an IPv6 address is written in brackets, [::1]:port");
        }
        String digits = trimmed.substring(colon + 1);
        if (digits.length() > 5 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw refusal(text, "the port '" + digits + "' is not a number from 0 to " + MAX_PORT);
        }
        return new Endpoint(host, Integer.parseInt(digits));
    }

    /**
     * Resolves the host.
     *
     * @return the address with the port.
     * @throws MessagingException if the name is unknown.
     */
    public InetSocketAddress resolve() {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new MessagingException("host '" + host + "' of endpoint " + this + " is unknown to this machine", e);
        }
    }

    /**
     * The same host with another port.
     *
     * @param newPort 0 to 65,535.
     * @return the endpoint.
     */
    public Endpoint withPort(int newPort) {
        return new Endpoint(host, newPort);
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    private static MessagingException refusal(String text, String expectation) {
        return new MessagingException("endpoint '" + text + "' is not valid: " + expectation);
    }
}
