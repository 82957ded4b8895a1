package io.sluice.tree.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.nio.file.Path;

/** Parses topology files. It is a class of its own because a JVM without the library loads {@link TopologyFile}. */
final class TopologyYaml {
    private TopologyYaml() {}

    /**
     * Parses the text of a file.
     *
     * @throws TopologyFormatException if it is empty or not well-formed
     */
    static TopologyFile.Page parse(Path file, String text) throws TopologyFormatException {
        ObjectMapper mapper = new ObjectMapper(YAMLFactory.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .build())
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        try {
            TopologyFile.Page page = mapper.readValue(text, TopologyFile.Page.class);
            if (page == null) {
                throw new TopologyFormatException(
                        file + ": the topology is empty, expected 'aggregations' or 'edges'", null);
            }
            return page;
        } catch (JsonProcessingException e) {
            throw new TopologyFormatException(file + YamlFault.inWords(e), e);
        }
    }
}
