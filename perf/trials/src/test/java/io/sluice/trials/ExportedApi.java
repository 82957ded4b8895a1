package io.sluice.trials;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The types that the modules export to all, and their signatures. */
final class ExportedApi {
    private static final String OURS = "io.sluice.";

    private final Set<String> packages = new TreeSet<>();
    private final List<Class<?>> types = new ArrayList<>();

    private ExportedApi() {}

    /** Reads the API of the modules on the class path. */
    static ExportedApi read() throws IOException, ClassNotFoundException {
        ExportedApi api = new ExportedApi();
        ClassLoader loader = ExportedApi.class.getClassLoader();
        for (URL descriptor : Collections.list(loader.getResources("module-info.class"))) {
            try (InputStream in = descriptor.openStream()) {
                ModuleDescriptor module = ModuleDescriptor.read(in);
                if (module.name().startsWith(OURS)) {
                    module.exports().stream()
                            .filter(export -> !export.isQualified())
                            .forEach(export -> api.packages.add(export.source()));
                }
            }
        }
        List<String> names = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(api.packages).stream()
                        .filter(type -> api.packages.contains(type.getPackageName()))
                        .map(JavaClass::getName)
                        .sorted()
                        .toList();
        for (String name : names) {
            Class<?> type = Class.forName(name, false, loader);
            if (isVisible(type)) {
                api.types.add(type);
            }
        }
        return api;
    }

    /** All packages that are exported to all modules. */
    Set<String> packages() {
        return packages;
    }

    /** All types that a program can name, nested ones included, in the order of their names. */
    List<Class<?>> types() {
        return types;
    }

    /** The types that the signatures of a type name, each with a member that names it. */
    static Map<Class<?>, String> reached(Class<?> type) {
        Map<Class<?>, String> reached = new LinkedHashMap<>();
        Stream.concat(bounds(type.getTypeParameters()), supertypes(type).stream())
                .forEach(each -> collect(each, type.getName(), reached));
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field, type)) {
                collect(field.getGenericType(), field.toString(), reached);
            }
        }
        executables(type).forEach(member -> {
            String where = member.toGenericString();
            Stream.of(member.getGenericParameterTypes(), member.getGenericExceptionTypes())
                    .flatMap(Arrays::stream)
                    .forEach(each -> collect(each, where, reached));
            bounds(member.getTypeParameters()).forEach(each -> collect(each, where, reached));
            if (member instanceof Method method) {
                collect(method.getGenericReturnType(), where, reached);
            }
        });
        return reached;
    }

    /** A line for the type, and one for each of its members, in an order that does not depend on the compiler. */
    static List<String> listing(Class<?> type) {
        List<String> lines = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field, type)) {
                String line = modifiers(field.getModifiers()) + name(field.getGenericType()) + ' ' + field.getName();
                lines.add("    " + (field.isEnumConstant() ? field.getName() : line));
            }
        }
        executables(type).forEach(member -> lines.add("    " + signature(member, type)));
        Collections.sort(lines);
        lines.addFirst(header(type));
        return lines;
    }

    private static String header(Class<?> type) {
        String kind =
                type.isRecord() ? "record " : type.isEnum() ? "enum " : type.isInterface() ? "interface " : "class ";
        int shown = type.isEnum() || type.isRecord() || type.isInterface() ? ~(Modifier.FINAL | Modifier.ABSTRACT) : ~0;
        String supers = supertypes(type).stream().map(ExportedApi::name).collect(Collectors.joining(", "));
        return modifiers(type.getModifiers() & shown & ~Modifier.INTERFACE & ~Modifier.STATIC)
                + kind
                + type.getName()
                + parameters(type.getTypeParameters())
                + (supers.isEmpty() ? "" : " : " + supers);
    }

    private static String signature(Executable member, Class<?> type) {
        boolean implicit = type.isInterface() && !Modifier.isStatic(member.getModifiers());
        String before = modifiers(implicit ? 0 : member.getModifiers())
                + (member instanceof Method method && method.isDefault() ? "default " : "")
                + parameters(member.getTypeParameters())
                + (member.getTypeParameters().length > 0 ? " " : "");
        String result = member instanceof Method method ? name(method.getGenericReturnType()) + ' ' : "";
        String arguments = Stream.of(member.getGenericParameterTypes())
                .map(ExportedApi::name)
                .collect(Collectors.joining(", "));
        String thrown = Stream.of(member.getGenericExceptionTypes())
                .map(ExportedApi::name)
                .collect(Collectors.joining(", "));
        String own = member instanceof Constructor<?> ? type.getSimpleName() : member.getName();
        return before + result + own + '(' + arguments + ')' + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static String modifiers(int modifiers) {
        int shown = modifiers & (Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT);
        return shown == 0 ? "" : Modifier.toString(shown) + ' ';
    }

    private static String parameters(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Stream.of(variables)
                        .map(each -> each.getName() + " extends "
                                + Stream.of(each.getBounds())
                                        .map(ExportedApi::name)
                                        .collect(Collectors.joining(" & ")))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static Stream<Type> bounds(TypeVariable<?>[] variables) {
        return Stream.of(variables).flatMap(each -> Stream.of(each.getBounds()));
    }

    private static String name(Type type) {
        return type.getTypeName().replace("java.lang.", "");
    }

    private static List<Type> supertypes(Class<?> type) {
        List<Type> types = new ArrayList<>();
        if (type.getGenericSuperclass() != null && !type.isEnum() && !type.isRecord()) {
            types.add(type.getGenericSuperclass());
        }
        types.remove(Object.class);
        types.addAll(List.of(type.getGenericInterfaces()));
        return types;
    }

    private static Stream<Executable> executables(Class<?> type) {
        Stream<Executable> constructors = type.isEnum() ? Stream.of() : Stream.of(type.getDeclaredConstructors());
        return Stream.concat(constructors, Stream.of(type.getDeclaredMethods()))
                .filter(member -> !member.isSynthetic() && isVisible(member, type));
    }

    private static boolean isVisible(Member member, Class<?> type) {
        int modifiers = member.getModifiers();
        return Modifier.isPublic(modifiers)
                || Modifier.isProtected(modifiers) && !Modifier.isFinal(type.getModifiers());
    }

    private static boolean isVisible(Class<?> type) {
        if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
            return false;
        }
        Class<?> outer = type.getEnclosingClass();
        int modifiers = type.getModifiers();
        boolean open = Modifier.isPublic(modifiers)
                || outer != null && Modifier.isProtected(modifiers) && !Modifier.isFinal(outer.getModifiers());
        return open && (outer == null || isVisible(outer));
    }

    private static void collect(Type type, String where, Map<Class<?>, String> reached) {
        switch (type) {
            case Class<?> plain -> {
                Class<?> element = plain;
                while (element.isArray()) {
                    element = element.getComponentType();
                }
                if (!element.isPrimitive()) {
                    reached.putIfAbsent(element, where);
                }
            }
            case ParameterizedType generic -> {
                collect(generic.getRawType(), where, reached);
                Stream.of(generic.getActualTypeArguments()).forEach(each -> collect(each, where, reached));
            }
            case GenericArrayType array -> collect(array.getGenericComponentType(), where, reached);
            case WildcardType wildcard ->
                Stream.of(wildcard.getUpperBounds(), wildcard.getLowerBounds())
                        .flatMap(Arrays::stream)
                        .forEach(each -> collect(each, where, reached));
            case TypeVariable<?> _ -> {} // its bounds are collected where it is declared
            default -> throw new IllegalArgumentException("a type of a new kind: " + type);
        }
    }
}
