/** JMH benchmarks for users, in one jar: {@code java -jar perf/benchmarks/target/benchmarks.jar Compressor}. */
package io.sluice.benchmarks;
