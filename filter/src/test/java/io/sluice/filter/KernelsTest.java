package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class KernelsTest {
    private final String before = System.getProperty(Kernels.PROPERTY);

    @AfterEach
    void restore() {
        if (before == null) {
            System.clearProperty(Kernels.PROPERTY);
        } else {
            System.setProperty(Kernels.PROPERTY, before);
        }
    }

    @Test
    void prefersVectors() {
        System.clearProperty(Kernels.PROPERTY);
        Kernels kernels = Kernels.preferred();

        assertInstanceOf(VectorKernels.class, kernels);
        assertTrue(kernels.name().startsWith("vector x"), kernels.name());
    }

    @Test
    void thePropertyDecides() {
        System.setProperty(Kernels.PROPERTY, "scalar");
        assertEquals("scalar", Kernels.preferred().name());
        System.setProperty(Kernels.PROPERTY, "vector");
        assertInstanceOf(VectorKernels.class, Kernels.preferred());
        System.setProperty(Kernels.PROPERTY, "gpu");
        assertTrue(assertThrows(IllegalArgumentException.class, Kernels::preferred)
                .getMessage()
                .contains("gpu"));
    }
}
