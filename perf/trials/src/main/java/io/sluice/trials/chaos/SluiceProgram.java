package io.sluice.trials.chaos;

import io.sluice.perf.JvmFlags;
import io.sluice.perf.UnavailableException;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The {@code sluice} command line, to be run in processes of its own: this module does not know the trainers, which are
 * in another.
 *
 * @param classPath with which Java runs it
 */
record SluiceProgram(String classPath) {
    private static final String LAUNCHER = "sluice";
    private static final String MAIN = "io.sluice.cli.Sluice";
    private static final int HEAP_MB = 256;

    /** A stalled media driver counts as dead to its clients after that long, which the longest pauses exceed. */
    private static final String DRIVER_TIMEOUT = "-Dsluice.driver.timeout=3s";

    /**
     * Finds it: on this JVM's own class path, or in the checkout to which this class belongs, where the launcher builds
     * it if need be.
     *
     * @throws UnavailableException if there is no checkout, or it does not build
     * @throws InterruptedException if interrupted meanwhile
     */
    static SluiceProgram find() throws IOException, InterruptedException {
        if (SluiceProgram.class.getClassLoader().getResource(MAIN.replace('.', '/') + ".class") != null) {
            return new SluiceProgram(System.getProperty("java.class.path"));
        }
        Path home = home();
        Path launcher = home.resolve(LAUNCHER);
        int code = new ProcessBuilder(launcher.toString(), "--version")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
                .waitFor();
        if (code != 0) {
            throw new UnavailableException("'" + launcher + " --version' ended with " + code);
        }
        Path built = Path.of(
                Files.readString(home.resolve("samples/cli/target/.built")).strip());
        return new SluiceProgram(
                built.resolve("classes") + File.pathSeparator + built.resolve("lib") + File.separator + "*");
    }

    /** The checkout in whose build this class is. */
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
                    "chaos runs the trainers of a checkout, and there is no " + LAUNCHER + " above " + classes);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("this class comes from nowhere", e);
        }
    }

    /** A command line that runs one of its commands. */
    List<String> command(List<String> arguments) {
        List<String> command = JvmFlags.node(HEAP_MB);
        command.addAll(List.of(DRIVER_TIMEOUT, "-cp", classPath, MAIN));
        command.addAll(arguments);
        return command;
    }
}
