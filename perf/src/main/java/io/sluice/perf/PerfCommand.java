package io.sluice.perf;

import java.util.concurrent.Callable;

/** A command of {@code sluice perf} that a module above this one provides; {@link java.util.ServiceLoader} finds it. */
public interface PerfCommand extends Callable<Integer> {}
