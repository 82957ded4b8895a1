package io.sluice.perf.nodes;

import io.sluice.console.UnavailableException;
import io.sluice.perf.JvmFlags;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The {@code sluice} command line, which runs in processes of its own: this module does not depend on it. */
public final class SluiceProgram {
    private static final String LAUNCHER = "sluice";
    private static final String MAIN = "io.sluice.cli.Sluice";

    private final List<String> jvm;

    private SluiceProgram(String classPath, long heapMb, String... options) {
        jvm = JvmFlags.node(heapMb);
        jvm.addAll(List.of(options));
        jvm.addAll(List.of("-cp", classPath, MAIN));
    }

    /**
     * Finds the command line on this JVM's own class path, or in the checkout of this class, where the launcher builds
     * it.
     *
     * @param heapMb  largest heap of each process
     * @param options further options of each JVM
     * @throws UnavailableException if there is no checkout, or it does not build
     * @throws InterruptedException if the thread is interrupted
     */
    public static SluiceProgram find(long heapMb, String... options) throws IOException, InterruptedException {
        if (SluiceProgram.class.getClassLoader().getResource(MAIN.replace('.', '/') + ".class") != null) {
            return new SluiceProgram(System.getProperty("java.class.path"), heapMb, options);
        }
        Path home = home();
        Path launcher = home.resolve(LAUNCHER);
        int code = new ProcessBuilder(launcher.toString(), "--version")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
                .waitFor();
        if (code != 0) {
            throw new UnavailableException("'" + launcher + " --version' ended with exit code " + code);
        }
        Path built = Path.of(
                Files.readString(home.resolve("samples/cli/target/.built")).strip());
        String classPath = built.resolve("classes") + File.pathSeparator + built.resolve("lib") + File.separator + "*";
        return new SluiceProgram(classPath, heapMb, options);
    }

    /** The checkout to which this class belongs. */
    private static Path home() {
        try {
            Path classes = Path.of(SluiceProgram.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            for (Path folder = classes; null != folder; folder = folder.getParent()) {
                if (Files.isExecutable(folder.resolve(LAUNCHER)) && Files.exists(folder.resolve("pom.xml"))) {
                    return folder;
                }
            }
            throw new UnavailableException(
                    "there is no sluice to run, expected a checkout with '" + LAUNCHER + "' above " + classes);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the location of this class is not a path", e);
        }
    }

    /** The command line of a process that runs a {@code sluice} command. */
    public List<String> command(List<String> arguments) {
        return Stream.concat(jvm.stream(), arguments.stream()).toList();
    }
}
