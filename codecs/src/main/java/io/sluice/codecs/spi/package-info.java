/** How policies of users are named, the blocks that they encode, and the interface of compressors. */
package io.sluice.codecs.spi;
