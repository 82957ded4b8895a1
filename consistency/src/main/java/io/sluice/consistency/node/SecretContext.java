package io.sluice.consistency.node;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.messaging.Settings;
import java.net.InetAddress;
import java.nio.file.Path;

/**
 * The settings that decide which nodes may join: nodes that know the secret, or, without one, nodes on this host.
 * Without a secret a node listens on a loopback address only, unless a setting explicitly allows others.
 *
 * @param <C> the concrete context, which setters return
 */
public abstract class SecretContext<C extends SecretContext<C>> {
    /** Property for {@link #secretFile(Path)}. */
    public static final String SECRET_FILE_PROPERTY = "sluice.secret.file";

    /** Property for {@link #withoutSecret(boolean)}. */
    public static final String WITHOUT_SECRET_PROPERTY = "sluice.without.secret";

    private Path secretFile = pathOf(System.getProperty(SECRET_FILE_PROPERTY));
    private ClusterSecret secret;
    private boolean withoutSecret = Settings.flag(WITHOUT_SECRET_PROPERTY, false);

    /** Creates the settings of a subclass. */
    protected SecretContext() {}

    private static Path pathOf(String file) {
        return null == file || file.isBlank() ? null : Path.of(file);
    }

    /**
     * This context as its own type.
     *
     * @return {@code this}
     */
    protected abstract C self();

    /**
     * The cluster's secret, which all its nodes have to know.
     *
     * @param value the secret; null for none
     * @return this
     */
    public C secret(ClusterSecret value) {
        secret = value;
        secretFile = null;
        return self();
    }

    /**
     * The file with the cluster's secret. It is read when the context is concluded.
     *
     * @param file file that its owner alone can read; null for no secret
     * @return this
     */
    public C secretFile(Path file) {
        secretFile = file;
        return self();
    }

    /** The cluster's secret, once the context is concluded; null if it has none. */
    public ClusterSecret secret() {
        return secret;
    }

    /**
     * Lets this node receive from other hosts although it has no secret: any process that can reach it can then take
     * part, end the job, or change what it computes.
     *
     * @param value false by default
     * @return this
     */
    public C withoutSecret(boolean value) {
        withoutSecret = value;
        return self();
    }

    /**
     * Reads the secret.
     *
     * @throws IllegalArgumentException if the named file holds no secret
     */
    protected void concludeSecret() {
        if (null != secretFile) {
            secret = ClusterSecret.read(secretFile);
        }
    }

    /**
     * Refuses an address that other hosts can reach, unless there is a secret, or a setting states that none is needed.
     *
     * @param receiver name of the receiver, which begins the message
     * @param address  address to check
     * @throws IllegalArgumentException whose message states the remedy
     */
    public void requireSecretBeyondLoopback(String receiver, InetAddress address) {
        if (null == secret && !withoutSecret && !address.isLoopbackAddress()) {
            throw new IllegalArgumentException(receiver + " would listen on " + address.getHostAddress()
                    + ", which other hosts can reach, but has no secret: make one with 'sluice secret FILE' and give"
                    + " it to all nodes (" + SECRET_FILE_PROPERTY + "), or set " + WITHOUT_SECRET_PROPERTY
                    + "=true if any process on that network may take part");
        }
    }
}
