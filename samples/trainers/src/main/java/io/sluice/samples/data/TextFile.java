package io.sluice.samples.data;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** Opens a text file, plain or compressed with gzip, and names other formats by their first bytes. */
final class TextFile {
    private static final String GZIP = "1f8b";
    private static final int MAGIC_BYTES = 4;

    private static final Map<String, String> OTHERS = Map.of(
            "fffe", "text in UTF-16",
            "feff", "text in UTF-16",
            "efbbbf", "text with a byte order mark",
            "504b0304", "a zip archive",
            "425a68", "compressed with bzip2",
            "fd377a58", "compressed with xz",
            "28b52ffd", "compressed with zstd");

    private TextFile() {}

    /**
     * Opens a file.
     *
     * @throws DataFormatException if the file has a known format that is not text
     * @throws IOException if the file does not exist or cannot be read
     */
    static InputStream open(Path file) throws IOException {
        BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file));
        try {
            in.mark(MAGIC_BYTES);
            String magic = HexFormat.of().formatHex(in.readNBytes(MAGIC_BYTES));
            in.reset();
            for (Map.Entry<String, String> other : OTHERS.entrySet()) {
                if (magic.startsWith(other.getKey())) {
                    throw new DataFormatException(file + " is " + other.getValue()
                            + ", expected plain ASCII text, or that compressed with gzip");
                }
            }
            return magic.startsWith(GZIP) ? new GZIPInputStream(in) : in;
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }
}
