/** The types of the wire format that users and their policies use, and how policies are named. */
package io.sluice.codecs.api;
