package io.sluice.cli.run;

import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Simulates the library of the next schema version: increments the version in each header that it writes, and
 * decrements it in each that it reads.
 */
final class NextVersion {
    private NextVersion() {}

    /** Writes the changed classes into a folder for the front of the class path. */
    static void into(Path folder) throws IOException {
        rewrite(folder, MessageHeaderEncoder.class, (code, element) -> {
            code.with(element);
            if (element instanceof LoadInstruction load && load.slot() == 1) {
                code.iconst_1().iadd();
            }
        });
        rewrite(folder, Frame.class, (code, element) -> {
            if (element instanceof ReturnInstruction) {
                code.iconst_1().isub();
            }
            code.with(element);
        });
    }

    /** Changes the method {@code version} of a class. */
    private static void rewrite(Path folder, Class<?> type, CodeTransform change) throws IOException {
        String name = type.getName().replace('.', '/') + ".class";
        try (InputStream original = type.getClassLoader().getResourceAsStream(name)) {
            ClassFile classFile = ClassFile.of();
            byte[] changed = classFile.transformClass(
                    classFile.parse(original.readAllBytes()),
                    ClassTransform.transformingMethodBodies(
                            method -> method.methodName().equalsString("version"), change));
            Path file = folder.resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, changed);
        }
    }
}
