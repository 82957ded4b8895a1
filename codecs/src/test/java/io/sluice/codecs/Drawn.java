package io.sluice.codecs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A parameterized test with rows in its {@code CsvSource} or {@code ValueSource}, of which a run may draw one and skip
 * the others, because each of them takes long. {@code mvn verify} draws a row of each such test, {@code -Pslow} a row
 * of each slow one; {@code -Ptrials} takes all rows.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ExtendWith(DrawnRow.class)
public @interface Drawn {}
