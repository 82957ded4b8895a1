package io.sluice.filter;

import io.sluice.codecs.FrameFuzzContract;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** From the bytes of a link to the sum of a slice; once for every width of registers, a quarter of a minute in all. */
class ApplyFuzzTest extends FrameFuzzContract {
    ApplyFuzzTest() {
        super(ApplyFuzzer.class, 2);
    }

    @Override
    @Test
    @Tag("slow")
    public void hostileFramesAreNotReadBeyondTheirEnd() throws IOException, InterruptedException {
        super.hostileFramesAreNotReadBeyondTheirEnd();
    }
}
