package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.console.ExitCode;
import org.junit.jupiter.api.Test;

class CnnOptionsTest {
    /** The module is not on the class path of these tests, as in the tarball. */
    @Test
    void oneSentenceNamesTheMissingModule() {
        MissingLibraryException missing = assertThrows(MissingLibraryException.class, () -> new CnnOptions().load());
        assertEquals(
                "a convolutional network needs the module samples/djl, with PyTorch, which is not on the class path:"
                        + " ./sluice builds it in a folder of the sources",
                Failures.sentence(missing));
        assertEquals(ExitCode.UNAVAILABLE, Failures.exitCode(missing));
    }
}
