package io.sluice.codecs;

/** From the bytes of a link to an opened block. */
class FrameFuzzTest extends FrameFuzzContract {
    FrameFuzzTest() {
        super(FrameFuzzer.class, 10);
    }
}
