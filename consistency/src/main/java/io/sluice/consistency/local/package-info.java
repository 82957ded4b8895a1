/** A whole cluster in one JVM, for first steps and for tests of trainers. */
package io.sluice.consistency.local;
