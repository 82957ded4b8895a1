package io.sluice.cli.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DataCommandTest {
    private String failure;

    private String run(String... arguments) {
        CommandLine line = new CommandLine(DataCommand.class);
        StringWriter out = new StringWriter();
        line.setOut(new PrintWriter(out, true));
        line.setExecutionExceptionHandler((exception, _, _) -> {
            failure = exception.getMessage();
            return 1;
        });
        line.execute(arguments);
        return out.toString();
    }

    @Test
    void listsAllWithTheirTerms() {
        String listed = run();
        for (DataSet set : DataSet.ALL) {
            assertTrue(listed.contains(set.name() + " "), set.name());
            assertTrue(listed.contains(set.terms()), set.name());
        }
    }

    @Test
    void suggestsANameForOneThatIsWrong() {
        String all = ", expected one of fashion-mnist, movielens, brown, stopwords, spam-assassin";
        run("fashion-minst", "folder");
        assertEquals("there is no data set fashion-minst" + all + "; did you mean fashion-mnist?", failure);
        run("movie-lens", "folder");
        assertEquals("there is no data set movie-lens" + all + "; did you mean movielens?", failure);
        run("imagenet", "folder");
        assertEquals("there is no data set imagenet" + all, failure);
    }

    @Test
    void asksForTheFolder() {
        run("brown");
        assertEquals("DIR is missing: sluice data brown DIR", failure);
    }
}
