package io.sluice.tree.topology;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Describes faults of a YAML file to its author, because the messages of the YAML reader name Java classes. */
final class YamlFault {
    private YamlFault() {}

    /** The position, the fault and the expected value, to append to the name of the file. */
    static String inWords(JsonProcessingException fault) {
        return switch (fault) {
            case UnrecognizedPropertyException unknown ->
                where(unknown) + "there is no key '" + unknown.getPropertyName() + "' in " + parent(unknown.getPath())
                        + ", expected one of " + keys(unknown);
            case MismatchedInputException mismatch
            when mismatch.getPath().isEmpty() && isAtEnd(mismatch) -> " is empty, expected 'aggregations' or 'edges'";
            case MismatchedInputException mismatch ->
                where(mismatch) + name(mismatch.getPath()) + " has the wrong type, expected "
                        + kind(mismatch.getTargetType());
            default -> where(fault) + syntax(fault);
        };
    }

    private static boolean isAtEnd(MismatchedInputException mismatch) {
        return String.valueOf(mismatch.getOriginalMessage()).startsWith("No content");
    }

    private static String where(JsonProcessingException fault) {
        JsonLocation at = fault.getLocation();
        return null == at ? ": " : ", line " + at.getLineNr() + ", column " + at.getColumnNr() + ": ";
    }

    private static String keys(UnrecognizedPropertyException unknown) {
        return unknown.getKnownPropertyIds().stream()
                .map(String::valueOf)
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .collect(Collectors.joining(", "));
    }

    /** The name of the container of a path's last element. */
    private static String parent(List<JsonMappingException.Reference> path) {
        return name(path.subList(0, Math.max(0, path.size() - 1)));
    }

    /** The full name of a path, such as {@code edges[0].hosts}. */
    private static String name(List<JsonMappingException.Reference> path) {
        StringBuilder name = new StringBuilder();
        for (JsonMappingException.Reference step : path) {
            if (null == step.getFieldName()) {
                name.append('[').append(step.getIndex()).append(']');
            } else {
                name.append(name.isEmpty() ? "" : ".").append(step.getFieldName());
            }
        }
        return name.isEmpty() ? "the file" : name.toString();
    }

    private static String kind(Class<?> type) {
        if (null == type || String.class == type) {
            return "text";
        }
        return Collection.class.isAssignableFrom(type) ? "a list" : "keys with values";
    }

    /** The lines of the parser's message that do not quote the file. */
    private static String syntax(JsonProcessingException fault) {
        String said = String.valueOf(fault.getOriginalMessage())
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith(" "))
                .collect(Collectors.joining(": "));
        return said.isEmpty() ? "is not YAML" : said;
    }
}
