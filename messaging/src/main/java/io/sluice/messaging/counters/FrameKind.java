package io.sluice.messaging.counters;

import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import java.util.Arrays;

/** The kinds of frames that are counted separately. */
public enum FrameKind {
    /** Updates and parameters. */
    DATA("data"),
    /** Round commits, which close a clock or version. */
    ROUND_COMMIT("commit"),
    /** All other frames: declarations, requests, membership. */
    OTHER("other");

    private static final FrameKind[] ALL = values();

    /** The ordinals of the kinds by the low bits of the template id, found without a branch. */
    private static final byte[] BY_TEMPLATE = byTemplate();

    private final String word;

    FrameKind(String word) {
        this.word = word;
    }

    private static byte[] byTemplate() {
        byte[] kinds = new byte[1 << Byte.SIZE];
        Arrays.fill(kinds, (byte) OTHER.ordinal());
        kinds[DataDecoder.TEMPLATE_ID] = (byte) DATA.ordinal();
        kinds[RoundCommitDecoder.TEMPLATE_ID] = (byte) ROUND_COMMIT.ordinal();
        return kinds;
    }

    /** The name of the kind in counters. */
    public String configName() {
        return word;
    }

    /** The number of kinds. */
    static int size() {
        return ALL.length;
    }

    /** The ordinal of the kind of a template. */
    static int ordinalOf(int templateId) {
        return BY_TEMPLATE[templateId & BY_TEMPLATE.length - 1];
    }
}
