package io.sluice.messaging.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.Routes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class EndpointTest {
    @ParameterizedTest
    @CsvSource({"localhost:40100,localhost,40100", "10.0.0.1:0,10.0.0.1,0", "[::1]:65535,::1,65535", " a:1 ,a,1"})
    void readsHostAndPort(String text, String host, int port) {
        Endpoint endpoint = Endpoint.parse(text);
        assertEquals(new Endpoint(host, port), endpoint);
        assertEquals(text.trim(), endpoint.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                "host:",
                ":1",
                "host:x",
                "host:-1",
                "host:65536",
                "host:123456",
                "::1:5",
                "a b:1",
                "a|b:1"
            })
    void refusesAnythingElseAndQuotesIt(String text) {
        MessagingException refusal = assertThrows(MessagingException.class, () -> Endpoint.parse(text));
        assertTrue(refusal.getMessage().contains("'" + text + "'")
                || refusal.getMessage().contains(text.split(":")[0]));
    }

    @Test
    void anUnknownHostIsNamed() {
        MessagingException refusal = assertThrows(
                MessagingException.class,
                () -> Endpoint.parse("no-such-host.invalid:1").resolve());
        assertTrue(refusal.getMessage().startsWith("host 'no-such-host.invalid' of endpoint"));
    }

    @Test
    void knowsTheWayToItself() {
        Endpoint loopback = new Endpoint("127.0.0.1", 40_100);
        assertTrue(Routes.isThisHost(loopback));
        assertEquals("127.0.0.1", Routes.localAddressTowards(loopback).getHostAddress());
        assertTrue(Routes.interfaceMtuTowards(loopback) >= Routes.ETHERNET_MTU);
        assertFalse(Routes.isThisHost(new Endpoint("192.0.2.1", 1)));
    }
}
