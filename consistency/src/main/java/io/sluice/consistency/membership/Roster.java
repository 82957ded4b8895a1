package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.NodeIds;
import io.sluice.consistency.terms.Role;
import io.sluice.tree.Place;
import io.sluice.tree.SiteNetwork;
import io.sluice.tree.topology.TopologyText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Who has joined so far, and whether one more may. */
final class Roster {
    /** Where more are missing, it is said how many, not who. */
    private static final int MOST_NAMED = 8;

    /** Longer than a candidate waits before it asks again. What comes later was not sent by a dead node. */
    private static final long ALIVE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ClusterSettings settings;
    private final NodeIds ids;
    private final List<Candidate> candidates = new ArrayList<>();
    private boolean assigned;

    /** What the trainers of all workers declare, once all have come. */
    private String declared;

    Roster(ClusterSettings settings) {
        this.settings = settings;
        this.ids = settings.nodeIds();
    }

    int size() {
        return candidates.size();
    }

    Candidate get(int i) {
        return candidates.get(i);
    }

    /** All have come, and were let in by another coordinator, which has compared what their trainers declare. */
    void restore(Candidate[] nodes, String declaredByAll) {
        assigned = true;
        declared = declaredByAll;
        candidates.addAll(List.of(nodes));
    }

    void replace(Candidate before, Candidate by) {
        candidates.set(candidates.indexOf(before), by);
    }

    void replaceVacant(Candidate before, Candidate by) {
        candidates.remove(before);
        candidates.add(by);
    }

    /** Whether all have come. */
    boolean isAssigned() {
        return assigned;
    }

    /** Whether the cluster is complete and takes in others all the same. */
    boolean takesNewcomers() {
        return assigned && settings.isElastic();
    }

    /** Whether whoever asks now asks for the place of a node that is dead, or may be. */
    boolean awaitsReturns() {
        return assigned && DeathPolicy.WAIT == settings.onDeath();
    }

    void add(Candidate candidate) {
        candidates.add(candidate);
    }

    /** The candidate that asks with a nonce, or null. */
    Candidate asking(long nonce) {
        return candidates.stream()
                .filter(candidate -> candidate.nonce == nonce)
                .findFirst()
                .orElse(null);
    }

    /** Forgets candidates that stopped asking before they were welcomed, so that others can have their places. */
    void forgetSilent(long nowNs, long patienceNs) {
        for (int i = candidates.size() - 1; i >= 0; i--) {
            if (nowNs - candidates.get(i).askedNs > patienceNs) {
                candidates.remove(i).close();
            }
        }
    }

    /** Sends what candidates still have to be told; returns the number of messages. */
    int flush() {
        int sent = 0;
        for (int i = 0; i < candidates.size(); i++) { // no iterator: called in every cycle
            sent += candidates.get(i).flush();
        }
        return sent;
    }

    /** Sends what candidates still have to be told, and says whether all that are present have been. */
    boolean flushAll() {
        boolean told = true;
        for (Candidate candidate : candidates) {
            candidate.flush();
            told &= candidate.isTold() || !candidate.presence.isPresent();
        }
        return told;
    }

    /** Tells all that have joined that they cannot work together. */
    void refuseAll(ControlMessages messages, String reason) {
        for (Candidate candidate : candidates) {
            candidate.tell(messages, messages.error(Failure.REFUSED, candidate.nonce, ControlIds.COORDINATOR, reason));
        }
    }

    /** Tells everybody that the coordinator has ended, which no node can do without. */
    void tellOfTheEnd(ControlMessages messages) {
        String sentence = "the coordinator (server 0) has ended "
                + (assigned
                        ? "although workers still need it"
                        : "before all had joined: it still waited for " + missing());
        for (Candidate candidate : candidates) {
            int length = messages.error(Failure.PEER_LEFT, candidate.nonce, ControlIds.COORDINATOR, sentence);
            candidate.tell(messages, length);
        }
    }

    void close() {
        candidates.forEach(Candidate::close);
    }

    boolean isComplete() {
        return candidates.size() == settings.servers() + settings.workers();
    }

    /** Who has yet to come before the cluster is complete, in words. */
    String missing() {
        return Arrays.stream(Role.values())
                .map(this::missing)
                .filter(words -> !words.isEmpty())
                .collect(Collectors.joining(" and "));
    }

    /** By name; but some who are here may have no index yet, and then nobody knows which of the others lack. */
    private String missing(Role role) {
        List<Candidate> here =
                candidates.stream().filter(each -> each.role == role).toList();
        List<String> free = IntStream.range(0, places(role))
                .filter(index -> here.stream().noneMatch(each -> each.index == index))
                .mapToObj(String::valueOf)
                .toList();
        int places = places(role);
        int count = places - here.size();
        if (count == 0) {
            return "";
        }
        if (count == free.size() && count <= MOST_NAMED) {
            return role.word() + (count == 1 ? " " : "s ") + String.join(", ", free);
        }
        return (count == places ? "all " : "any " + count + " of the ") + places + " " + role.word() + "s";
    }

    /** Why a join cannot be granted, or null if it can. */
    String refusalOf(int roleCode, int index, int version) {
        if (Frame.SCHEMA_VERSION != version) {
            return "the node speaks protocol version " + version + ", this cluster speaks " + Frame.SCHEMA_VERSION
                    + ": run the same version of Sluice everywhere";
        }
        if (roleCode >= Role.values().length) {
            return "the node asks for role " + roleCode + ", expected 0 (server) or 1 (worker)";
        }
        Role role = Role.values()[roleCode];
        int places = places(role);
        if (index < -1 || index >= places) {
            return "there is no " + role.word() + " " + index + " in a cluster of " + places + " " + role.word() + "s";
        }
        if (awaitsReturns()) {
            return index >= 0 ? null : "the cluster is complete: say which " + role.word() + " comes back";
        }
        List<Candidate> here = candidates.stream()
                .filter(each -> each.role == role && keepsPlace(each))
                .toList();
        if (!assigned) {
            return null; // a place that is taken may be that of a dead node: see isTaken()
        }
        if (index >= 0 && here.stream().anyMatch(each -> each.index == index)) {
            return takenFor(role, index);
        }
        return here.size() >= places ? takenFor(role, -1) : null;
    }

    /** Whether a node can join before all have: no candidate has the place that it asks for, or all places. */
    boolean hasPlace(Candidate candidate) {
        return holders(candidate).isEmpty();
    }

    /** Whether all that have a place which a node asks for have asked again since: so they are alive. */
    boolean isTaken(Candidate candidate) {
        return holders(candidate).stream().allMatch(each -> each.askedNs - candidate.returnedNs > ALIVE_NS);
    }

    private List<Candidate> holders(Candidate candidate) {
        List<Candidate> here =
                candidates.stream().filter(each -> each.role == candidate.role).toList();
        List<Candidate> same = here.stream()
                .filter(each -> each.index >= 0 && each.index == candidate.index)
                .toList();
        return !same.isEmpty() || here.size() < places(candidate.role) ? same : here;
    }

    /** Whether the place is neither free nor, where nodes come and go, will be before long. */
    private boolean keepsPlace(Candidate candidate) {
        return !candidate.isVacant() && !(settings.isElastic() && candidate.isGoing());
    }

    /** Why there is no place while the job runs for one that asks for this, or for any, which is -1. */
    String takenFor(Role role, int index) {
        if (index >= 0) {
            return role.word() + " " + index + " has joined already";
        }
        if (Role.SERVER == role && settings.growsTrees()) {
            return "all " + places(role) + " servers have joined already: none can come while the job runs where"
                    + " broadcasts go by --tree " + settings.tree();
        }
        if (!assigned) {
            return "all " + places(role) + " " + role.word() + "s have joined already";
        }
        String option = Role.SERVER == role ? "--max-servers" : "--max-workers";
        return "all " + places(role) + " " + role.word()
                + "s have joined already: more can come while the job runs only"
                + " where its terms have places for them (" + option + ")";
    }

    /** Why a node does not fit those that are here, or null if it does. */
    String misfitOf(Candidate candidate) {
        String misplacement = misplacementOf(candidate);
        return null == misplacement && Role.WORKER == candidate.role ? disagreementOf(candidate) : misplacement;
    }

    /** Those that joined before agree with each other. */
    private String disagreementOf(Candidate worker) {
        Candidate other = candidates.stream()
                .filter(each ->
                        Role.WORKER == each.role && each.isHere() && (each.index < 0 || each.index != worker.index))
                .findFirst()
                .orElse(null);
        if (null == other && !assigned) {
            return null;
        }
        String agreed = assigned ? declared : other.declared;
        String whose = null == other ? "the worker before it" : nameOf(other);
        return DeclaredTerms.disagreement(nameOf(worker), worker.declared, whose, agreed);
    }

    private static String nameOf(Candidate worker) {
        return worker.index < 0 ? "the worker at " + worker.endpoint : "worker " + worker.index;
    }

    /** What the trainers of all workers declare, once all have come. */
    String declared() {
        return declared;
    }

    /** Why a node cannot be where it is, or null if it can: all have to be at hosts of the network. */
    private String misplacementOf(Candidate candidate) {
        if (settings.topology().isEmpty()) {
            return null;
        }
        try {
            int node = candidate.index < 0 ? candidates.size() : ids.of(candidate.role, candidate.index);
            SiteNetwork.hostOf(
                    TopologyText.parse(settings.topology()), new Place(node, candidate.host, candidate.endpoint));
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    /** Gives every candidate that named no index the lowest one free, and returns all in order of node id. */
    Candidate[] assign() {
        assigned = true;
        declared = candidates.stream()
                .filter(each -> Role.WORKER == each.role)
                .findFirst()
                .map(worker -> worker.declared)
                .orElse("");
        Candidate[] nodes = new Candidate[ids.count()];
        for (Candidate candidate : candidates) {
            if (candidate.index >= 0) {
                nodes[ids.of(candidate.role, candidate.index)] = candidate;
            }
        }
        for (Candidate candidate : candidates) {
            if (candidate.index < 0) {
                candidate.index = IntStream.range(0, places(candidate.role))
                        .filter(index -> null == nodes[ids.of(candidate.role, index)])
                        .findFirst()
                        .orElseThrow();
                nodes[ids.of(candidate.role, candidate.index)] = candidate;
            }
        }
        for (int server = settings.servers(); server < ids.servers(); server++) {
            nodes[server] = Candidate.absent(Role.SERVER, server);
        }
        for (int worker = settings.workers(); worker < ids.workers(); worker++) {
            nodes[ids.of(Role.WORKER, worker)] = Candidate.absent(Role.WORKER, worker);
        }
        return nodes;
    }

    static List<Place> places(Candidate[] nodes) {
        return IntStream.range(0, nodes.length)
                .mapToObj(node -> new Place(node, nodes[node].host, nodes[node].endpoint))
                .toList();
    }

    private int places(Role role) {
        int atFirst = Role.SERVER == role ? settings.servers() : settings.workers();
        return assigned ? ids.places(role) : atFirst;
    }
}
