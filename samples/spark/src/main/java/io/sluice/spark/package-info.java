/** Jobs of Sluice on the executors of a Spark application: a worker for each partition of an RDD. */
package io.sluice.spark;
