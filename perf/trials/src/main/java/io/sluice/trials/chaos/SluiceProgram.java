package io.sluice.trials.chaos;

import io.sluice.console.UnavailableException;
import io.sluice.perf.JvmFlags;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The {@code sluice} command line, which runs in processes of its own: this module does not depend on the trainers.
 *
 * @param classPath class path of the command line
 */
record SluiceProgram(String classPath) {
    private static final String LAUNCHER = "sluice";
    private static final String MAIN = "io.sluice.cli.Sluice";
    private static final int HEAP_MB = 256;

    /** Flag for the silence after which clients declare a media driver dead; the longest pauses exceed it. */
    private static final String DRIVER_TIMEOUT = "-Dsluice.driver.timeout=3s";

    /**
     * Finds the command line on this JVM's own class path, or in the checkout of this class, where the launcher builds
     * it.
     *
     * @throws UnavailableException if there is no checkout, or it does not build
     * @throws InterruptedException if the thread is interrupted
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
                    "chaos needs a checkout with '" + LAUNCHER + "', and found none above " + classes);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the location of this class is not a path", e);
        }
    }

    /** The command line of a process that runs a {@code sluice} command. */
    List<String> command(List<String> arguments) {
        List<String> command = JvmFlags.node(HEAP_MB);
        command.addAll(List.of(DRIVER_TIMEOUT, "-cp", classPath, MAIN));
        command.addAll(arguments);
        return command;
    }
}
