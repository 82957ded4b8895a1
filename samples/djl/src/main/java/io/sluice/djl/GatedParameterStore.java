package io.sluice.djl;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.nn.Parameter;
import ai.djl.training.ParameterStore;

/**
 * A parameter store that waits for a parameter when a layer requests it, not for the whole model before the forward
 * pass: under {@code bsp} the first layers compute while the others are still on their way. Under any other consistency
 * rule the first layer waits for all.
 */
public final class GatedParameterStore extends ParameterStore {
    private final SluiceParameterServer server;

    /**
     * Creates a store.
     *
     * @param manager manager of the device of the parameters
     * @param server  started
     */
    public GatedParameterStore(NDManager manager, SluiceParameterServer server) {
        super(manager, false);
        this.server = server;
        setParameterServer(server, new Device[] {manager.getDevice()});
    }

    @Override
    public NDArray getValue(Parameter parameter, Device device, boolean training) {
        if (parameter != null) { // optional parameters are null
            server.gate(parameter);
        }
        return super.getValue(parameter, device, training);
    }
}
