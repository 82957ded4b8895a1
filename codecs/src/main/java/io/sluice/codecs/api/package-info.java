/** The types of the wire format that users and their filters meet. */
package io.sluice.codecs.api;
