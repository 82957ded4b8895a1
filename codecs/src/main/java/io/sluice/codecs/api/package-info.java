/** The types of the wire format that programs use: values, reports of compression, and the secret of a cluster. */
package io.sluice.codecs.api;
