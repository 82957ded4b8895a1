package io.sluice.perf.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LayerModelTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void vgg19HasThePublishedParameters() {
        LayerModel model = LayerModel.named(PublishedLayers.VGG19, 1);
        assertEquals(19, model.layers().size());
        assertEquals(143_667_240, model.elements());
        assertEquals(1_792, elements(model, "conv1_1"));
        assertEquals(2_359_808, elements(model, "conv5_4"));
        assertEquals(102_764_544, elements(model, "fc6"));
        assertEquals(16_781_312, elements(model, "fc7"));
        assertEquals(4_097_000, elements(model, "fc8"));
        // P3, section 3: a single fully connected layer has 71.5 % of all parameters.
        assertEquals(0.715, elements(model, "fc6") / (double) model.elements(), 0.0005);
    }

    /** The counts of MPS's table 1.1, 1.73 M and 42.65 M, and that of the published weights of GoogLeNet. */
    @Test
    void otherModelsHaveThePublishedParameters() {
        assertEquals(1_727_962, LayerModel.named(PublishedLayers.RESNET110, 1).elements());
        assertEquals(6_998_552, LayerModel.named(PublishedLayers.GOOGLENET, 1).elements());
        assertEquals(
                42_679_816, LayerModel.named(PublishedLayers.INCEPTION_V4, 1).elements());
    }

    @Test
    void vgg19TakesThePublishedTimeInConvolutions() {
        List<LayerModel.Layer> layers =
                LayerModel.named(PublishedLayers.VGG19, 1).layers();
        double all = layers.stream().mapToDouble(LayerModel.Layer::work).sum();
        assertEquals(19.63e9, all, 0.02e9, "multiply-adds of a forward pass");
        double connected = layers.stream()
                .filter(layer -> layer.name().startsWith("fc"))
                .mapToDouble(LayerModel.Layer::work)
                .sum();
        assertTrue(connected / all < 0.01, () -> connected + " of " + all);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 1_000, LayerModel.MAX_SCALE})
    void aScaledModelKeepsItsShape(int scale) {
        for (String name : PublishedLayers.NAMES) {
            LayerModel whole = LayerModel.named(name, 1);
            LayerModel model = LayerModel.named(name, scale);
            for (int i = 0; i < whole.layers().size(); i++) {
                double exact = (double) whole.layers().get(i).elements() / scale;
                assertEquals(exact, model.layers().get(i).elements(), 1, name + ", layer " + i);
            }
            assertTrue(model.layers().stream().allMatch(layer -> layer.elements() >= 1));
            assertEquals(model.layers().size(), model.slices(1 << 30), "one slice for each layer");
            assertEquals(model.elements(), model.slices(1));
        }
    }

    @Test
    void aThirdOfTheTimeIsForward() {
        for (String name : PublishedLayers.NAMES) {
            LayerModel model = LayerModel.named(name, 64);
            long forward = Arrays.stream(model.forwardNs(SECOND)).sum();
            long backward = Arrays.stream(model.backwardNs(SECOND)).sum();
            assertEquals(SECOND / 3.0, forward, 100, name);
            assertEquals(2 * forward, backward, name);
        }
    }

    @Test
    void refusesWhatIsNoModel() {
        assertThrows(IllegalArgumentException.class, () -> LayerModel.named("vgg16", 64));
    }

    private static int elements(LayerModel model, String name) {
        return model.layers().stream()
                .filter(layer -> layer.name().equals(name))
                .findFirst()
                .orElseThrow()
                .elements();
    }
}
