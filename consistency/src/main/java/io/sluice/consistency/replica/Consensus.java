package io.sluice.consistency.replica;

import io.aeron.Aeron;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.CommonContext;
import io.aeron.RethrowingErrorHandler;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.sluice.messaging.api.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpLock;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

/**
 * One member of an Aeron Cluster, with all that it needs in this process: a media driver of its own, the archive that
 * records the log, the consensus module, and the service whose state is replicated. It is tuned for a few decisions a
 * minute on busy machines: every part sleeps for a millisecond when idle, and uses {@link SteadyClock}.
 *
 * <p>Messages between members are neither sealed nor authenticated: their ports belong in a network that no other
 * process reaches.
 */
final class Consensus implements AutoCloseable {
    private static final int MTU = 1_408;

    /** Silence of the leader after which the other members elect a new leader. */
    private static final long LEADER_SILENCE_NS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final long LEADER_HEARTBEAT_NS = TimeUnit.MILLISECONDS.toNanos(150);
    private static final long ELECTION_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long ELECTION_STATUS_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How long a member that starts waits for all others; after that, a majority suffices. */
    private static final long CANVASS_NS = TimeUnit.SECONDS.toNanos(3);

    private static final Supplier<IdleStrategy> IDLE = () -> new SleepingMillisIdleStrategy(1);

    final MediaDriver driver;
    final Archive archive;
    final ConsensusModule module;
    final ClusteredServiceContainer container;
    final Pruning pruning;

    private Consensus(
            MediaDriver driver,
            Archive archive,
            ConsensusModule module,
            ClusteredServiceContainer container,
            Pruning pruning) {
        this.driver = driver;
        this.archive = archive;
        this.module = module;
        this.container = container;
        this.pruning = pruning;
    }

    /**
     * Starts a member.
     *
     * @param members addresses of all, for nodes
     * @param member  index of this member
     * @param folder  folder of this member alone, locked by this process
     * @param limits  limits of the folder; the same for all members
     * @param service service whose state is replicated
     * @param errors  receives errors
     * @return the member, to be closed
     */
    static Consensus join(
            List<Endpoint> members,
            int member,
            MemberFolder folder,
            LogLimits limits,
            ReplicatedRecord service,
            ErrorHandler errors) {
        String host = members.get(member).host();
        String aeron = folder.driver().toString();
        MediaDriver driver = null;
        Archive archive = null;
        ConsensusModule module = null;
        try {
            driver = MediaDriver.launch(driver(aeron, limits, errors));
            archive = Archive.launch(archive(aeron, host, members.get(member), folder.archive(), limits, errors));
            AeronArchive.Context recordings = recordings(aeron, archive.context());
            module = ConsensusModule.launch(module(aeron, host, recordings, folder, limits, errors)
                    .terminationHook(() -> service.onEngineEnd("consensus module"))
                    .clusterMemberId(member)
                    .clusterMembers(described(members)));
            ClusteredServiceContainer container =
                    ClusteredServiceContainer.launch(container(aeron, recordings, folder, errors)
                            .terminationHook(() -> service.onEngineEnd("service"))
                            .clusteredService(service));
            return new Consensus(driver, archive, module, container, new Pruning(folder, recordings, limits));
        } catch (RuntimeException e) {
            CloseHelper.quietCloseAll(module, archive, driver);
            throw e;
        }
    }

    private static MediaDriver.Context driver(String aeron, LogLimits limits, ErrorHandler errors) {
        return new MediaDriver.Context()
                .aeronDirectoryName(aeron)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(IDLE.get())
                .termBufferSparseFile(false)
                .publicationTermBufferLength(limits.termLength())
                .ipcTermBufferLength(limits.termLength())
                .mtuLength(MTU)
                .spiesSimulateConnection(true)
                .epochClock(SteadyClock.INSTANCE)
                .errorHandler(errors);
    }

    private static Archive.Context archive(
            String aeron, String host, Endpoint own, Path directory, LogLimits limits, ErrorHandler errors) {
        return new Archive.Context()
                .aeronDirectoryName(aeron)
                .archiveDir(directory.toFile())
                .controlChannel(udp(host, own.port() + CoordinatorContext.PORTS))
                .replicationChannel(udp(host, 0))
                .recordingEventsEnabled(false)
                .segmentFileLength(limits.segmentLength())
                .threadingMode(ArchiveThreadingMode.SHARED)
                .idleStrategySupplier(IDLE)
                .epochClock(SteadyClock.INSTANCE)
                .errorHandler(errors);
    }

    private static AeronArchive.Context recordings(String aeron, Archive.Context archive) {
        return new AeronArchive.Context()
                .lock(NoOpLock.INSTANCE)
                .aeronDirectoryName(aeron)
                .controlRequestChannel(archive.localControlChannel())
                .controlRequestStreamId(archive.localControlStreamId())
                .controlResponseChannel(CommonContext.IPC_CHANNEL);
    }

    private static ConsensusModule.Context module(
            String aeron,
            String host,
            AeronArchive.Context recordings,
            MemberFolder folder,
            LogLimits limits,
            ErrorHandler errors) {
        return new ConsensusModule.Context()
                .aeronDirectoryName(aeron)
                .clusterDir(folder.consensus().toFile())
                .archiveContext(recordings.clone())
                // Only the leader's own process offers decisions.
                .ingressChannel("aeron:udp?endpoint=127.0.0.1:0|term-length=" + limits.termLength())
                .isIpcIngressAllowed(true)
                .logChannel("aeron:udp?term-length=" + limits.termLength())
                .replicationChannel(udp(host, 0))
                .leaderHeartbeatTimeoutNs(LEADER_SILENCE_NS)
                .leaderHeartbeatIntervalNs(LEADER_HEARTBEAT_NS)
                .electionTimeoutNs(ELECTION_NS)
                .electionStatusIntervalNs(ELECTION_STATUS_NS)
                .startupCanvassTimeoutNs(CANVASS_NS)
                .idleStrategySupplier(IDLE)
                .epochClock(SteadyClock.INSTANCE)
                .clusterClock(SteadyClock.INSTANCE)
                .errorHandler(errors);
    }

    private static ClusteredServiceContainer.Context container(
            String aeron, AeronArchive.Context recordings, MemberFolder folder, ErrorHandler errors) {
        return new ClusteredServiceContainer.Context()
                .aeronDirectoryName(aeron)
                .archiveContext(recordings.clone())
                .clusterDir(folder.consensus().toFile())
                .idleStrategySupplier(IDLE)
                .epochClock(SteadyClock.INSTANCE)
                .errorHandler(errors);
    }

    /**
     * Connects a client to the engine's media driver.
     *
     * @param aeron  directory of the driver
     * @param errors receives errors
     * @return the client, to be closed
     */
    static Aeron connect(String aeron, ErrorHandler errors) {
        return Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(aeron)
                .epochClock(SteadyClock.INSTANCE)
                .errorHandler(errors)
                .subscriberErrorHandler(RethrowingErrorHandler.INSTANCE));
    }

    /**
     * The members in the engine's format: for each its number, and its ports for ingress, consensus, log, catch-up and
     * archive.
     */
    private static String described(List<Endpoint> members) {
        return IntStream.range(0, members.size())
                .mapToObj(member -> member + ","
                        + IntStream.rangeClosed(1, CoordinatorContext.PORTS)
                                .mapToObj(port -> members.get(member)
                                        .withPort(members.get(member).port() + port)
                                        .toString())
                                .collect(Collectors.joining(",")))
                .collect(Collectors.joining("|"));
    }

    private static String udp(String host, int port) {
        return new ChannelUriStringBuilder()
                .media(CommonContext.UDP_MEDIA)
                .endpoint(new Endpoint(host, port).toString())
                .build();
    }

    /** Deletes files that are no longer needed. Blocks the thread that calls it. */
    void prune() {
        pruning.prune();
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(container, module, archive, driver);
    }
}
