/** The command {@code sluice spark}: logistic regression in a Spark application. */
package io.sluice.spark.lr;
