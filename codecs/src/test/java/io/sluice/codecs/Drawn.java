package io.sluice.codecs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A parameterized test with rows in its {@code CsvSource} or {@code ValueSource}, of which each run takes one at random
 * and skips the others, because each of them takes seconds. The trials take all of them.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ExtendWith(DrawnRow.class)
public @interface Drawn {}
